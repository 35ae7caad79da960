import { VirtualClock } from '@amplifier/testkit';
import type { SafetyMode } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import type { ReexecutionSafety } from '../error-codes.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { CANCELLED, runWithFallback } from './run-with-fallback.js';

const SAFETY: Record<string, ReexecutionSafety> = {
  ACP_TURN_ERROR: 'ambiguous',
  ACP_REFUSED: 'duplicate_cost',
};

interface Case {
  safety_mode?: SafetyMode;
  modelFallback?: string | null;
  alternates?: string[];
  breaker?: CircuitBreaker;
  recordsItself?: (target: string) => boolean;
}

/** Runs `a:m`, then `a:m2`, `b` and `c`, each with a failure code or with null for success. */
async function run(codes: Record<string, string | null>, options: Case = {}) {
  const tried: string[] = [];
  const chains: string[][] = [];
  const { result, chain } = await runWithFallback<string, string | null>({
    primary: 'a:m',
    modelFallback: 'a:m2',
    alternates: ['b', 'c'],
    safety_mode: 'read_only',
    breaker: new CircuitBreaker(new VirtualClock()),
    ...options,
    agentOf: (target) => target.split(':')[0] ?? target,
    labelOf: (target) => target,
    attempt: async (target, before) => {
      tried.push(target);
      chains.push(before);
      return codes[target] ?? null;
    },
    failureOf: (code) => {
      if (code === 'CANCELLED') return CANCELLED;
      return code === null ? null : { code, reexecution: SAFETY[code] ?? 'safe' };
    },
  });
  return { tried, chains, result, chain };
}

describe('the order of attempts', () => {
  it.each<[string, Record<string, string>, Case, string[], string[]]>([
    ['stops at a success', {}, {}, ['a:m'], []],
    [
      'tries the fallback model first if the model was missing',
      { 'a:m': 'NOT_FOUND' },
      {},
      ['a:m', 'a:m2'],
      ['a:m'],
    ],
    [
      'skips the fallback model after any other failure',
      { 'a:m': 'ACP_SPAWN_FAILED' },
      {},
      ['a:m', 'b'],
      ['a:m'],
    ],
    [
      'goes to the next agent if there is no fallback model',
      { 'a:m': 'MODEL_UNAVAILABLE' },
      { modelFallback: null },
      ['a:m', 'b'],
      ['a:m'],
    ],
    ['does not repeat what had begun', { 'a:m': 'ACP_TURN_ERROR' }, {}, ['a:m'], []],
    [
      'ends with an alternate that had begun',
      { 'a:m': 'AUTH_REQUIRED', b: 'ACP_REFUSED' },
      {},
      ['a:m', 'b'],
      ['a:m'],
    ],
    ['ends with a cancelled attempt', { 'a:m': 'CANCELLED' }, {}, ['a:m'], []],
    [
      'falls back in propose mode',
      { 'a:m': 'ACP_SPAWN_FAILED' },
      { safety_mode: 'propose' },
      ['a:m', 'b'],
      ['a:m'],
    ],
    ['never falls back in write mode', { 'a:m': 'ACP_SPAWN_FAILED' }, { safety_mode: 'write' }, ['a:m'], []],
    ['never falls back in yolo mode', { 'a:m': 'NOT_FOUND' }, { safety_mode: 'yolo' }, ['a:m'], []],
    [
      'tries an alternate of the same agent after any safe failure',
      { 'a:m': 'ACP_HANDSHAKE_FAILED' },
      { alternates: ['a:m3'] },
      ['a:m', 'a:m3'],
      ['a:m'],
    ],
  ])('%s', async (_, codes, options, tried, chain) => {
    expect(await run(codes, options)).toMatchObject({ tried, chain });
  });

  it('keeps the first failure if everything fails, and lists every attempt', async () => {
    const codes = { 'a:m': 'ACP_SPAWN_FAILED', b: 'AUTH_REQUIRED', c: 'ACP_HANDSHAKE_FAILED' };
    expect(await run(codes)).toMatchObject({ result: 'ACP_SPAWN_FAILED', chain: ['a:m', 'b', 'c'] });
    const alone = { alternates: [], modelFallback: null };
    expect(await run(codes, alone)).toMatchObject({ result: 'ACP_SPAWN_FAILED', chain: [] });
  });

  it('gives each attempt the chain before it', async () => {
    const { chains } = await run({ 'a:m': 'NOT_FOUND', 'a:m2': 'NOT_FOUND', b: 'AUTH_REQUIRED' });
    expect(chains).toEqual([[], ['a:m'], ['a:m', 'a:m2'], ['a:m', 'a:m2', 'b']]);
  });

  it('skips an alternate whose breaker is open, but not the agent the caller named', async () => {
    const breaker = new CircuitBreaker(new VirtualClock());
    for (const agent of ['a', 'b', 'a', 'b', 'a', 'b']) breaker.record(agent, 'ACP_SPAWN_FAILED');
    const skipped = await run({ 'a:m': 'ACP_SPAWN_FAILED' }, { breaker });
    expect(skipped).toMatchObject({ tried: ['a:m', 'c'], chain: ['a:m', 'b (benched)'] });
    const onModel = await run({ 'a:m': 'MODEL_UNAVAILABLE' }, { breaker });
    expect(onModel.tried).toEqual(['a:m', 'a:m2']);
  });
});

describe('the circuit breaker', () => {
  it('opens after three failures within two minutes, for one minute', async () => {
    const clock = new VirtualClock();
    const breaker = new CircuitBreaker(clock);
    const fail = () => breaker.record('a', 'ACP_SPAWN_FAILED');
    fail();
    fail();
    await clock.advance(121_000);
    fail();
    expect(breaker.isOpen('a')).toBe(false);
    fail();
    fail();
    expect(breaker.isOpen('a')).toBe(true);
    expect(breaker.isOpen('b')).toBe(false);
    breaker.record('a', null);
    expect(breaker.isOpen('a')).toBe(true);
    await clock.advance(60_000);
    expect(breaker.isOpen('a')).toBe(false);
  });

  it('forgets earlier failures after a success, and does not count failures of the task or the caller', () => {
    const breaker = new CircuitBreaker(new VirtualClock());
    const record = (...codes: (string | null)[]) => {
      for (const code of codes) breaker.record('a', code);
    };
    record('AUTH_REQUIRED', 'ACP_TURN_ERROR', null, 'STALLED', 'ACP_HANDSHAKE_FAILED');
    record('ACP_EMPTY_ANSWER', 'MODEL_UNAVAILABLE', 'CANCELLED', 'RESUME_FAILED');
    expect(breaker.isOpen('a')).toBe(false);
    record('RATE_LIMIT');
    expect(breaker.isOpen('a')).toBe(true);
  });

  it('counts the attempts of a fallback', async () => {
    const breaker = new CircuitBreaker(new VirtualClock());
    for (let time = 0; time < 3; time++) await run({ 'a:m': 'CANCELLED' }, { breaker });
    expect(breaker.isOpen('a')).toBe(false);
    for (let time = 0; time < 3; time++) await run({ 'a:m': 'ACP_SPAWN_FAILED' }, { breaker });
    expect(breaker.isOpen('a')).toBe(true);
  });

  it('leaves counting to attempts that count themselves', async () => {
    const breaker = new CircuitBreaker(new VirtualClock());
    const recordsItself = (target: string) => target === 'b';
    for (let times = 0; times < 3; times++)
      await run(
        { 'a:m': 'AUTH_REQUIRED', b: 'AUTH_REQUIRED' },
        { breaker, recordsItself, modelFallback: null },
      );
    expect([breaker.isOpen('a'), breaker.isOpen('b')]).toEqual([true, false]);
  });
});
