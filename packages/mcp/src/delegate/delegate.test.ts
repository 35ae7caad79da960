import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MCP_ERROR_CODES, RUN_ERROR_CODES } from '../error-codes.js';
import { judgeReexecution, NOTHING_OBSERVED } from './judge-reexecution.js';
import { resolveTarget, targetLabel } from './resolve-target.js';

const KNOWN = ['explorer', 'foundation:explorer', 'acp:codex', 'acp:explorer', 'codex-helper'];

describe('the target a caller means', () => {
  it.each([
    ['codex', null, 'acp:codex', null],
    ['codex:gpt-5', null, 'acp:codex', 'gpt-5'],
    ['acp:codex:o3:high', null, 'acp:codex', 'o3:high'],
    ['explorer', null, 'acp:explorer', null],
    ['amplifier:explorer', null, 'explorer', null],
    ['amplifier:explorer:claude-haiku', null, 'explorer', 'claude-haiku'],
    ['foundation:explorer', null, 'foundation:explorer', null],
    ['codex-helper', 'anthropic/claude', 'codex-helper', 'anthropic/claude'],
    ['amplifier', null, 'amplifier', null],
    ['amplifier:gpt-5', null, 'amplifier', 'gpt-5'],
  ])('%s with model %s is %s on %s', (cli, model, expected, on) => {
    expect(resolveTarget({ cli, model }, KNOWN)).toEqual({ cli: expected, model: on });
  });

  it('is the same again by its own label', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KNOWN, 'amplifier'),
        fc.option(fc.stringMatching(/^[a-z][a-z0-9.-]{0,9}$/)),
        (cli, model) => {
          const target = resolveTarget({ cli, model }, KNOWN);
          const label = targetLabel(target);
          // Labels of Markdown agents that share a name with the roster need their prefix to be told apart.
          fc.pre(target.cli.startsWith('acp:') || target.cli.includes(':') || target.cli === 'codex-helper');
          expect(resolveTarget(label, KNOWN)).toEqual(target);
        },
      ),
    );
  });

  it('is refused with the nearest names', () => {
    expect(() => resolveTarget('codexx', KNOWN)).toThrow("Did you mean 'codex'");
    expect(() => resolveTarget({ cli: 'codex:gpt', model: 'other' }, KNOWN)).toThrow('No agent is called');
  });
});

describe('whether a task may be run again', () => {
  const sent = { ...NOTHING_OBSERVED, requests: 1 };
  it.each([
    ['PROVIDER_UNKNOWN', NOTHING_OBSERVED, 'safe'],
    ['ACP_TURN_ERROR', NOTHING_OBSERVED, 'ambiguous'],
    ['READONLY_VIOLATED', sent, 'side_effected'],
    ['INVALID_INPUT', NOTHING_OBSERVED, 'none'],
    ['AUTHENTICATION', sent, 'safe'],
    ['STALLED', sent, 'duplicate_cost'],
    ['CANCELLED', NOTHING_OBSERVED, 'safe'],
    ['RATE_LIMIT', { requests: 2, model_calls: 1, tool_calls: 0 }, 'duplicate_cost'],
    ['EXECUTION_FAILED', { requests: 2, model_calls: 1, tool_calls: 1 }, 'ambiguous'],
  ])('after %s with %j: %s', (code, observed, expected) => {
    expect(judgeReexecution(code, observed)).toBe(expected);
  });

  it('is never called safe once a tool has run, unless the code says that nothing can have', () => {
    const codes = fc.oneof(
      fc.string(),
      fc.constantFrom(...Object.keys({ ...MCP_ERROR_CODES, ...RUN_ERROR_CODES })),
    );
    fc.assert(
      fc.property(codes, fc.integer({ min: 1 }), (code, tool_calls) => {
        const known = { ...MCP_ERROR_CODES, ...RUN_ERROR_CODES } as Record<string, readonly [string, string]>;
        const judged = judgeReexecution(code, { requests: 1, model_calls: 1, tool_calls });
        expect(judged).toBe(Object.hasOwn(known, code) ? known[code]?.[1] : 'ambiguous');
      }),
    );
  });
});
