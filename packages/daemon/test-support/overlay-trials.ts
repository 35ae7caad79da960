import { isPlainObject, type JsonObject } from '@amplifier/core';
import { seededRandom } from '@amplifier/testkit';
import type { RunBench } from './run-bench.js';

/** What a run token must not get out of the daemon, or into a session. */
export interface Canaries {
  /** Contents of files outside of what the token may read. */
  secrets: readonly string[];
  /** Paths to those files. */
  files: readonly string[];
  /** A file that only a program outside of the sandbox could make. */
  marker: string;
  /** A session of the operator's, below which others may be made. */
  parent: string;
}

/** Where an overlay can be sent. */
const ADDRESSES = ['/api/v1/sessions', '/api/v1/mount-plans/generate', 'sub-session'] as const;

/** What became of one. */
export interface OverlayTrial {
  /** What is wrong; null when nothing is. */
  fault: string | null;
  /** A session was made. */
  isMade: boolean;
}

const MODULES = [
  'hooks-shell',
  'hooks-logging',
  'hooks-otel',
  'hooks-cost',
  'hooks-approval',
  'tool-mcp',
  'tool-bash',
  'tool-web',
].concat([
  'tool-filesystem',
  'tool-search',
  'tool-skills',
  'provider-openai',
  'provider-offline',
  'loop-basic',
  'hooks-routing',
]);
const NAMES = [
  'filesystem',
  'delegate',
  'approval',
  'openai-compatible',
  'scout',
  'scribe',
  'x',
  '__proto__',
  'local/worker.hook.approval',
];
const KEYS = [
  'base_url',
  'api_key',
  'headers',
  'model',
  'default_model',
  'hooks',
  'servers',
  'path',
  'pass_env',
  'shell',
  'rules',
].concat([
  'default_action',
  'allowed_write_paths',
  'temperature',
  'timeout',
  'max_iterations',
  'memory_file',
  'custom_routing_dirs',
]);

/** Configs that are modules' own; what else a plan may hold is judged by these. */
const MODEL_KEYS = [
  'model',
  'default_model',
  'temperature',
  'max_output_tokens',
  'max_tokens',
  'reasoning_effort',
];
const ACTING = /^(hooks-(shell|logging|otel|routing)|tool-(mcp|web|skills)|provider-(?!openai-compatible))/;

/**
 * Sends one random overlay with the token and says what came of it. Every sample-th session that was made is run, so that what its
 * plan holds has the chance to act.
 */
export async function tryOverlay(
  bench: RunBench,
  token: string,
  canaries: Canaries,
  seed: number,
  sample: number,
): Promise<OverlayTrial> {
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const value = (depth = 0): unknown =>
    pick<() => unknown>([
      () => pick(canaries.files),
      () => `file://${pick(canaries.files)}`,
      () => '${RUN_TEST_KEY}',
      () => 'http://127.0.0.1:1/',
      () => 7,
      () => true,
      () => [
        { event: 'session:start', command: `touch ${canaries.marker}` },
        { event: 'tool:pre', command: 'true' },
      ],
      () => ({ a: { command: 'touch', args: [canaries.marker] } }),
      () => (depth > 2 ? null : { [pick(KEYS)]: value(depth + 1) }),
    ])();
  const config = () =>
    Object.fromEntries(Array.from({ length: 1 + Math.floor(random() * 2) }, () => [pick(KEYS), value()]));
  const entry = () => ({
    ...(random() < 0.5 ? { module: pick(MODULES) } : {}),
    ...(random() < 0.5 ? { config: config() } : {}),
    ...(random() < 0.2 ? { enabled: random() < 0.5 } : {}),
    ...(random() < 0.2 ? { source: value() } : {}),
    ...(random() < 0.3 ? { content: 'Text.' } : {}),
    ...(random() < 0.2
      ? {
          metadata: {
            [pick(['hooks', 'tools', 'ref', 'description', 'providers'])]: [
              { module: pick(MODULES), config: config() },
            ],
          },
        }
      : {}),
  });
  const section = () =>
    random() < 0.1 ? pick<unknown>(['none', 'all', ['scout'], 5]) : { [pick(NAMES)]: entry() };
  const overlay: JsonObject = {};
  for (const name of ['agents', 'context', 'providers', 'tools', 'hooks', 'session'])
    if (random() < 0.35) overlay[name] = section();
  const body = {
    profile_id: 'local/worker',
    working_dir:
      random() < 0.2
        ? pick([...canaries.files, '/', '/etc', '..', bench.daemon.home])
        : bench.daemon.workspace.resolve('work'),
    ...(random() < 0.8 ? { agent_overlay: overlay } : {}),
    ...(random() < 0.4
      ? { settings_overrides: { modules: { [pick([...MODULES, ...NAMES])]: { config: config() } } } }
      : {}),
  };
  const headers = { authorization: `Bearer ${token}` };
  const address = pick(ADDRESSES);
  const { agent_overlay = {}, settings_overrides = {} } = body;
  const made =
    address === 'sub-session'
      ? await bench.daemon.call(
          'POST',
          `/api/v1/mount-plans/${canaries.parent}/sub-session`,
          { agent_overlay, settings_overrides },
          { headers },
        )
      : await bench.daemon.call('POST', address, body, { headers });
  const failed = (what: string): OverlayTrial => ({
    fault: `seed ${seed}, ${address}: ${what}`,
    isMade: false,
  });
  const leaked = canaries.secrets.find((secret) => made.text.includes(secret));
  if (leaked !== undefined) return failed(`the answer holds ${leaked}`);
  if (made.status >= 500) return failed(`${made.status} ${made.text}`);
  if (made.status !== 201) return { fault: null, isMade: false };
  const id = String(made.body.session_id ?? made.body.session?.session_id);
  const plan = await bench.daemon.call('GET', `/api/v1/mount-plans/${id}?format=core`, undefined, {
    headers,
  });
  const fault = faultOf(plan.body, plan.text, canaries);
  if (fault !== null) return failed(fault);
  if (seed % sample === 0) await bench.run(id, 'Say hello.', { wait: 60 });
  return { fault: null, isMade: true };
}

function faultOf(plan: JsonObject, text: string, { secrets, files }: Canaries): string | null {
  const lists = ['providers', 'tools', 'hooks'].flatMap(
    (list) => (plan[list] as JsonObject[] | undefined) ?? [],
  );
  const agents = Object.values((plan.agents ?? {}) as Record<string, JsonObject>).filter(isPlainObject);
  const declared = agents.flatMap((agent) =>
    ['providers', 'tools', 'hooks'].flatMap((list) => (agent[list] as JsonObject[]) ?? []),
  );
  for (const spec of [...lists, ...declared].map((entry) =>
    typeof entry === 'string' ? { module: entry } : entry,
  )) {
    if (ACTING.test(String(spec.module))) return `the plan has ${spec.module}`;
    if (spec.source !== undefined) return `the plan loads ${spec.source}`;
  }
  for (const { module, config } of (plan.providers ?? []) as { module: string; config: JsonObject }[])
    for (const key of Object.keys(config))
      if (!['base_url', 'api_key', 'max_retries', ...MODEL_KEYS].includes(key)) return `${module} has ${key}`;
  if (!((plan.hooks ?? []) as JsonObject[]).some(({ module }) => module === 'hooks-approval'))
    return 'the guard is gone';
  const secret = [...secrets, ...files].find((each) => text.includes(each) && !text.includes(`"settings"`));
  return secret === undefined ? null : `the plan holds ${secret}`;
}
