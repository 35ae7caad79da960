import { statfs } from 'node:fs/promises';
import type { LoopHealth } from '@amplifier/core';
import { DaemonError } from '../daemon-error.js';
import { MIN_FREE_BYTES } from '../defaults.js';
import { docsPage } from '../http/docs-page.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import { openApiDocument } from '../http/openapi-document.js';
import type { Services } from '../services.js';

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
export function systemEndpoints(services: Services, others: readonly Endpoint[]): Endpoint[] {
  const { clock, started_at, version, home, unready, notes } = services;
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
        description: 'It can. `notes` say what is amiss all the same.',
        schema: z.object({
          status: z.enum(['ready', 'degraded']),
          notes: z.array(z.string()),
          loops: z.array(LoopSign),
          record: RecordSign,
        }),
      },
      errors: ['NOT_READY'],
      async handle({ caller: { scope, tenant } }) {
        const isOperator = scope === 'admin' && tenant === undefined;
        const why = unready() ?? (await fullDisk(home.state));
        if (why !== null) throw new DaemonError('NOT_READY', why);
        const all = await services.loops();
        const loops = all.map(loopSign);
        const failing = all.filter(({ state }) => state === 'retrying').map(({ name }) => name);
        if (failing.length > 0)
          throw new DaemonError(
            'NOT_READY',
            `${failing.join(', ')}: cannot go on for now and is tried again.`,
            {
              members: { loops },
            },
          );
        const status = loops.some(({ set_aside }) => set_aside > 0) ? 'degraded' : 'ready';
        return { body: { status, notes: notes(isOperator), loops, record: await recordSign(services) } };
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
      handle: async () => ({
        body: {
          status: unready() === null ? 'ready' : 'starting',
          version,
          pid: process.pid,
          started_at,
          uptime_seconds: Math.round((clock.now() - Date.parse(started_at)) / 1000),
          home: home.home,
          loops: await services.loops(),
        },
      }),
    }),
    api.get('/metrics', {
      summary: 'Figures for Prometheus',
      operator: true,
      success: { status: 200, description: 'Text.', schema: z.string(), content_type: 'text/plain' },
      handle: async () => ({
        json: await services.metrics.render(),
        headers: { 'content-type': services.metrics.content_type },
      }),
    }),
    api.get('/openapi.json', {
      summary: 'This description',
      success: { status: 200, description: 'OpenAPI 3.1.', schema: z.looseObject({}) },
      handle: () => ({ body: openApiDocument(described, version) }),
    }),
  ];
  const described: Endpoint[] = [...own, ...others];
  return [...described, ...docsPage()];
}
