import { statfs } from 'node:fs/promises';
import { type LoopHealth, within } from '@amplifier/core';
import type { Check } from '@amplifier/host';
import { daemonChecks, loopProblem } from '../commands/ask-health.js';
import { deploymentPlaces } from '../config.js';
import { DaemonError } from '../daemon-error.js';
import { MIN_FREE_BYTES, RECORD_PROBE_MS } from '../defaults.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import { openApiDocument } from '../http/openapi-document.js';
import type { Services } from '../services.js';
import { docsPage } from './docs-page.js';

const api = endpoints({ tag: 'daemon' });

/** Why nothing can be kept; null when it can. */
async function fullDisk(folder: string): Promise<string | null> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < MIN_FREE_BYTES ? `The disk of ${folder} is full.` : null;
}

/** What whoever has no token may know of a loop. */
const LoopSign = z
  .object({
    name: z.string(),
    state: z.enum(['waiting', 'serving', 'retrying', 'stopped']),
    set_aside: z.int().openapi({ description: 'Items skipped since the start because they failed.' }),
    failures: z.int().openapi({ description: 'Consecutive failures of what it depends on.' }),
  })
  .openapi('LoopSign');

const LoopView = LoopSign.extend({
  last_error: z
    .object({
      time: z.string(),
      code: z.string().nullable(),
      message: z.string(),
      item: z.string().nullable(),
    })
    .nullable(),
}).openapi('Loop');

function loopSign({ name, state, set_aside, failures }: LoopHealth): z.infer<typeof LoopSign> {
  return { name, state, set_aside, failures };
}

const RecordSign = z
  .object({
    kind: z.enum(['file', 'server']),
    answer_ms: z.number().openapi({ description: 'The current response time of the record.' }),
    events_behind: z.int().openapi({ description: 'Events not yet sent to followers of this daemon.' }),
    waiting: z.int().openapi({ description: 'Queued runs, at all daemons of the record.' }),
    running: z.int(),
    oldest_seconds: z.number().openapi({ description: 'How long the run has waited that waits longest.' }),
  })
  .openapi('RecordSign');

const CheckView = z
  .object({
    name: z.string(),
    state: z.enum(['ok', 'missing', 'broken']).openapi({
      description: '`missing` is a warning, `broken` an error.',
    }),
    detail: z.string(),
    fix: z.string().nullable().openapi({ description: 'The next step, mostly a command.' }),
  })
  .openapi('Check');

/** Why the daemon cannot serve; null when it can. */
async function whyUnready({ unready, home }: Services, loops: readonly LoopHealth[]): Promise<string | null> {
  const why = unready() ?? (await fullDisk(home.state));
  if (why !== null) return why;
  const failing = loops.filter(({ state }) => state === 'retrying').map(({ name }) => name);
  return failing.length === 0 ? null : `${failing.join(', ')}: cannot go on for now and is tried again.`;
}

/** The checks of `amplifier doctor`. A deployment has no settings, providers or sessions of a user; each session has its own plan. */
async function doctorChecks(services: Services): Promise<Check[]> {
  const { home, environment, folders, report, notes } = services;
  const { offline } = services.runtime.hosts;
  const { checkCodingAgents, deploymentProject, hostPaths, openProject, runChecks } = await import(
    '@amplifier/host'
  );
  const cwd = await folders.known(null);
  const opened = home.isUsers
    ? openProject({ cwd, environment, report })
    : Promise.resolve(deploymentProject(deploymentPlaces(home), { environment, report }));
  const project = () => opened;
  const loops = await services.loops();
  const health = {
    unready: await whyUnready(services, loops),
    problems: [...loops.flatMap(loopProblem), ...notes(true)],
  };
  const found = home.isUsers
    ? [
        runChecks({ paths: hostPaths(cwd, environment), project, offline, verbose: true, report }),
        checkCodingAgents(project, { connect: null }),
      ]
    : [runChecks({ paths: (await opened).paths, project, verbose: true, report }, DEPLOYMENT_CHECKS)];
  const own = daemonChecks(home.isUsers ? 'amplifier serve' : 'amplifierd', `process ${process.pid}`, health);
  return [...own, ...(await Promise.all(found)).flat()];
}

const DEPLOYMENT_CHECKS = ['node', 'git', 'trusted modules', 'sandbox'] as const;

const SILENT_RECORD = `The record has not answered within ${RECORD_PROBE_MS / 1_000} s.`;

async function recordSign({ home, clock, store, events, backlog }: Services) {
  const asked = performance.now();
  const [places, end] = await Promise.all([backlog(), store.feedCursor()]);
  const sum = (of: (each: (typeof places)[number]) => number) =>
    places.reduce((all, each) => all + of(each), 0);
  const since = places.flatMap(({ oldest }) => (oldest === null ? [] : [Date.parse(oldest)]));
  return {
    kind: home.places === null ? ('file' as const) : ('server' as const),
    answer_ms: Math.round(performance.now() - asked),
    events_behind: events.behind(end),
    waiting: sum(({ waiting }) => waiting),
    running: sum(({ running }) => running),
    oldest_seconds: since.length === 0 ? 0 : Math.max(0, (clock.now() - Math.min(...since)) / 1_000),
  };
}

/** Health, what the daemon is, and the description of its API. `others` are what is described beside these. */
export function systemEndpoints(others: readonly Endpoint[]): Endpoint[] {
  const own: Endpoint[] = [
    api.get('/healthz', {
      summary: 'Is the process alive?',
      success: { status: 200, description: 'It is.', schema: z.object({ status: z.literal('ok') }) },
      handle: () => ({ body: { status: 'ok' } }),
    }),
    api.get('/readyz', {
      summary: 'Can it serve?',
      description:
        '503 while a background loop (runs, leases, events, webhooks) fails: `loops` says which. `degraded` if a loop has skipped items; the messages are at /api/v1/status.',
      success: {
        status: 200,
        description: 'Ready. `notes` lists warnings.',
        schema: z.object({
          status: z.enum(['ready', 'degraded']),
          notes: z.array(z.string()),
          loops: z.array(LoopSign),
          record: RecordSign,
        }),
      },
      errors: ['NOT_READY'],
      async handle({ caller: { scope, tenant }, services }) {
        const isOperator = scope === 'admin' && tenant === undefined;
        const all = await services.loops();
        const loops = all.map(loopSign);
        const why = await whyUnready(services, all);
        if (why !== null) throw new DaemonError('NOT_READY', why, { members: { loops } });
        const record = await within(recordSign(services), RECORD_PROBE_MS, services.clock);
        if (!record.done) throw new DaemonError('NOT_READY', SILENT_RECORD, { members: { loops } });
        const status = loops.some(({ set_aside }) => set_aside > 0) ? 'degraded' : 'ready';
        return { body: { status, notes: services.notes(isOperator), loops, record: record.value } };
      },
    }),
    api.get('/api/v1/status', {
      summary: 'What is running here',
      operator: true,
      success: {
        status: 200,
        description: 'The daemon.',
        schema: z.object({
          status: z.string(),
          version: z.string(),
          pid: z.int(),
          started_at: z.string(),
          uptime_seconds: z.number(),
          home: z.string(),
          loops: z.array(LoopView),
        }),
      },
      handle: async ({ services }) => ({
        body: {
          status: services.unready() === null ? 'ready' : 'starting',
          version: services.version,
          pid: process.pid,
          started_at: services.started_at,
          uptime_seconds: Math.round((services.clock.now() - Date.parse(services.started_at)) / 1000),
          home: services.home.home,
          loops: await services.loops(),
        },
      }),
    }),
    api.get('/api/v1/doctor', {
      summary: 'Check the installation',
      description:
        'The checks of `amplifier doctor` on the machine of the daemon, and of the daemon itself. External agents are not started. On the user’s own home this includes settings, providers and sessions of the working folder; a deployment checks only the machine.',
      scope: 'admin',
      operator: true,
      success: {
        status: 200,
        description: 'The findings. `ok` is false if one is `broken`.',
        schema: z.object({ ok: z.boolean(), checks: z.array(CheckView) }),
      },
      async handle({ services }) {
        const checks = await doctorChecks(services);
        const ok = checks.every(({ state }) => state !== 'broken');
        return {
          body: {
            ok,
            checks: checks.map(({ name, state, detail, fix = null }) => ({ name, state, detail, fix })),
          },
        };
      },
    }),
    api.get('/metrics', {
      summary: 'Figures for Prometheus',
      operator: true,
      success: { status: 200, description: 'Text.', schema: z.string(), content_type: 'text/plain' },
      handle: async ({ services }) => ({
        json: await services.metrics.render(),
        headers: { 'content-type': services.metrics.content_type },
      }),
    }),
    api.get('/openapi.json', {
      summary: 'This description',
      success: { status: 200, description: 'OpenAPI 3.1.', schema: z.looseObject({}) },
      handle: ({ services: { version } }) => ({ body: openApiDocument(described, version) }),
    }),
  ];
  const described: Endpoint[] = [...own, ...others];
  return [...described, ...docsPage()];
}
