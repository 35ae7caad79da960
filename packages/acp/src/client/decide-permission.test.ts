import type { PermissionOption } from '@agentclientprotocol/sdk';
import { type Grant, grantForSafetyMode, pathScope, SafetyMode } from '@amplifier/workspace';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseOption, decidePermission } from './decide-permission.js';

/** What a session holds while it runs: `propose` writes its isolated tree, here `/work`. */
function grantIn(safety_mode: SafetyMode): Grant {
  const grant = grantForSafetyMode(safety_mode, { cwd: '/work', trusted: true });
  return safety_mode === 'propose' ? { ...grant, write: pathScope(['/work']) } : grant;
}

const verdict = (
  kind: string,
  safety_mode: SafetyMode,
  confined: boolean,
  paths: string[] = [],
  approves = false,
) =>
  decidePermission(kind, paths, {
    safety_mode,
    confined,
    approves,
    grant: grantIn(safety_mode),
  }).verdict;

describe('what an agent may do', () => {
  it.each<[kind: string, read_only: string, propose: string, write: string, yolo: string]>([
    ['read', 'allow', 'allow', 'allow', 'allow'],
    ['search', 'allow', 'allow', 'allow', 'allow'],
    ['fetch', 'allow', 'allow', 'allow', 'allow'],
    ['edit', 'refuse', 'allow', 'allow', 'allow'],
    ['delete', 'refuse', 'allow', 'allow', 'allow'],
    ['execute', 'allow', 'allow', 'allow', 'allow'],
    ['switch_mode', 'refuse', 'refuse', 'refuse', 'allow'],
    ['other', 'refuse', 'allow', 'allow', 'allow'],
  ])('%s in a sandbox', (kind, ...expected) => {
    expect(SafetyMode.options.map((mode) => verdict(kind, mode, true))).toEqual(expected);
  });

  it.each([
    ['read', 'allow'],
    ['edit', 'allow'],
    ['execute', 'ask'],
    ['fetch', 'ask'],
    ['other', 'ask'],
    ['switch_mode', 'refuse'],
  ])('%s in write, where a person approves what is done', (kind, expected) => {
    expect(verdict(kind, 'write', true, [], true)).toBe(expected);
  });

  it.each<[kind: string, read_only: string, propose: string, write: string, yolo: string]>([
    ['execute', 'refuse', 'refuse', 'ask', 'allow'],
    ['other', 'refuse', 'ask', 'ask', 'allow'],
  ])('%s without a sandbox', (kind, ...expected) => {
    expect(SafetyMode.options.map((mode) => verdict(kind, mode, false))).toEqual(expected);
  });

  it('changes only inside the write scope', () => {
    expect(verdict('edit', 'write', true, ['/work/a.txt'])).toBe('allow');
    expect(verdict('edit', 'write', true, ['/work/a.txt', '/etc/passwd'])).toBe('refuse');
  });

  it('never allows a change in read_only, whatever it is called', () => {
    const quiet = new Set(['read', 'search', 'think', 'fetch', 'execute']);
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (kind, confined) => {
        fc.pre(!quiet.has(kind));
        expect(verdict(kind, 'read_only', confined)).toBe('refuse');
      }),
    );
  });
});

describe('the option that says it', () => {
  const option = (optionId: string, kind: string) => ({ optionId, name: optionId, kind }) as PermissionOption;

  it('prefers once to always, and a no that lets the turn go on', () => {
    const all = [
      option('always', 'allow_always'),
      option('once', 'allow_once'),
      option('abort', 'reject_once'),
      option('no', 'reject_once'),
    ];
    expect(chooseOption(all, true)).toBe('once');
    expect(chooseOption(all, false)).toBe('no');
    expect(chooseOption([option('cancel', 'reject_once')], false)).toBe('cancel');
    expect(chooseOption([option('cancel', 'reject_once'), option('never', 'reject_always')], false)).toBe(
      'never',
    );
  });

  it('a no is never a yes, and a yes never a guess', () => {
    const kinds = fc.constantFrom(
      'allow_once',
      'allow_always',
      'reject_once',
      'reject_always',
      'allow_perhaps',
      '',
    );
    const options = fc.array(fc.tuple(fc.string(), kinds).map(([id, kind]) => option(id, kind)));
    fc.assert(
      fc.property(options, fc.boolean(), (given, allowed) => {
        const chosen = chooseOption(given, allowed);
        const meant = given.filter(({ kind }) => (allowed ? /^allow_(once|always)$/ : /^reject_/).test(kind));
        if (chosen === null) expect(meant).toEqual([]);
        else expect(meant.map(({ optionId }) => optionId)).toContain(chosen);
      }),
    );
  });
});
