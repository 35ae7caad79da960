import { systemClock } from '@amplifier/host';
import { expect, it } from 'vitest';
import { Bench } from '../delegate/bench.js';
import { failureResult } from '../delegate/build-result.js';
import type { DelegationResult } from '../delegate/envelope.js';
import { NOTHING_OBSERVED } from '../delegate/judge-reexecution.js';
import { type Target, targetLabel } from '../delegate/resolve-target.js';
import type { RunRequest } from '../jobs/job-state.js';
import { runAttempts } from './run-attempts.js';

const REQUEST: RunRequest = {
  target: { cli: 'a', model: 'm' },
  prompt: 'x',
  role: null,
  files: [],
  attachments: [],
  skills: [],
  max_result: null,
  hand_back: null,
  effort: null,
  timeout_s: null,
  working_dir: '/',
  safety_mode: 'read_only',
  trusted: false,
  network: null,
  fallback: [
    { cli: 'b', model: null },
    { cli: 'c', model: null },
  ],
  allow_model_fallback: true,
  resume: null,
  max_depth: 3,
  external_tracking: false,
  direct: false,
};

/** Runs with each target's failure code, or null for success; tells who was tried. */
async function attempts(
  codes: Record<string, string | null>,
  request: Partial<RunRequest> = {},
  { bench = new Bench(systemClock), isStopped = (): boolean => false } = {},
) {
  const tried: string[] = [];
  const result = await runAttempts({
    request: { ...REQUEST, ...request },
    bench,
    fallbackModel: (cli) => (cli === 'a' ? 'm2' : null),
    isStopped,
    attempt: async (target: Target, fallback_chain) => {
      tried.push(targetLabel(target));
      const code = codes[targetLabel(target)] ?? null;
      const facts = {
        run_id: 'r',
        run_dir: null,
        request: REQUEST,
        target,
        fallback_chain,
        duration_s: 0,
        observed: NOTHING_OBSERVED,
        stopped_by: null,
      };
      const failed = failureResult(facts, { code: code ?? 'X', message: '', retryable: false });
      return code === null ? ({ ...failed, ok: true, error: null } satisfies DelegationResult) : failed;
    },
  });
  return { tried, result };
}

it.each<[string, Record<string, string | null>, Partial<RunRequest>, string[], string[]]>([
  ['the first is enough', {}, {}, ['a:m'], []],
  [
    'a missing model is tried on the fallback model first',
    { 'a:m': 'NOT_FOUND' },
    {},
    ['a:m', 'a:m2'],
    ['a:m'],
  ],
  ['another failure goes on to the next agent', { 'a:m': 'ACP_SPAWN_FAILED' }, {}, ['a:m', 'b'], ['a:m']],
  [
    'no model fallback where it is not allowed',
    { 'a:m': 'NOT_FOUND' },
    { allow_model_fallback: false },
    ['a:m', 'b'],
    ['a:m'],
  ],
  ['what was begun is not run again', { 'a:m': 'ACP_TURN_ERROR' }, {}, ['a:m'], []],
  [
    'an alternate that began ends it',
    { 'a:m': 'AUTH_REQUIRED', b: 'ACP_REFUSED' },
    {},
    ['a:m', 'b'],
    ['a:m'],
  ],
  ['write never falls back', { 'a:m': 'ACP_SPAWN_FAILED' }, { safety_mode: 'write' }, ['a:m'], []],
  ['yolo never falls back', { 'a:m': 'NOT_FOUND' }, { safety_mode: 'yolo' }, ['a:m'], []],
])('%s', async (_, codes, request, expected, chain) => {
  const { tried, result } = await attempts(codes, request);
  expect(tried).toEqual(expected);
  expect(result.fallback_chain).toEqual(chain);
});

it('keeps the first failure when all fail, and says who was tried', async () => {
  const { result } = await attempts({
    'a:m': 'ACP_SPAWN_FAILED',
    b: 'AUTH_REQUIRED',
    c: 'ACP_HANDSHAKE_FAILED',
  });
  expect(result).toMatchObject({
    ok: false,
    error: { code: 'ACP_SPAWN_FAILED' },
    fallback_chain: ['a:m', 'b', 'c'],
  });
});

it('skips a benched alternate and says so; one asked for by name still runs', async () => {
  const bench = new Bench(systemClock);
  for (let times = 0; times < 3; times += 1) {
    bench.failed('b');
    bench.failed('a');
  }
  const { tried, result } = await attempts({ 'a:m': 'ACP_SPAWN_FAILED' }, {}, { bench });
  expect(tried).toEqual(['a:m', 'c']);
  expect(result.fallback_chain).toEqual(['a:m', 'b (benched)']);
});

it('does not go on once it was stopped', async () => {
  const { tried } = await attempts({ 'a:m': 'ACP_SPAWN_FAILED' }, {}, { isStopped: () => true });
  expect(tried).toEqual(['a:m']);
});
