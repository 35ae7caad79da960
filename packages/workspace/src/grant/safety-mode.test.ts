import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Action, checkGrant } from './check-grant.js';
import { ownHomes, treesFolders } from './own-homes.js';
import { grantForSafetyMode, type SafetyMode } from './safety-mode.js';

const context = { cwd: '/project', trusted: true, home: '/home/ada' };
const actions: Record<string, Action> = {
  'read outside': { kind: 'read', path: '/usr/include/stdio.h' },
  'read secret': { kind: 'read', path: '/home/ada/.ssh/id_ed25519' },
  'write inside': { kind: 'write', path: '/project/a' },
  'write outside': { kind: 'write', path: '/etc/passwd' },
  'exec in sandbox': { kind: 'exec', confined: true },
  'exec bare': { kind: 'exec', confined: false },
};

function allowedIn(mode: SafetyMode, trusted: boolean): string[] {
  const grant = grantForSafetyMode(mode, { ...context, trusted });
  return Object.keys(actions).filter((name) => checkGrant(grant, actions[name] as Action).allowed);
}

describe('safety modes', () => {
  it.each<[SafetyMode, boolean, string[]]>([
    ['read_only', true, ['read outside', 'exec in sandbox']],
    // Its isolated tree is added when the tree is made.
    ['propose', false, ['read outside', 'exec in sandbox']],
    ['propose', true, ['read outside', 'exec in sandbox']],
    ['write', true, ['read outside', 'write inside', 'exec in sandbox']],
    ['write', false, ['read outside', 'exec in sandbox']],
    ['yolo', true, Object.keys(actions)],
    ['yolo', false, ['read outside', 'exec in sandbox']],
  ])('%s with trust %s', (mode, trusted, expected) => {
    expect(allowedIn(mode, trusted)).toEqual(expected);
  });

  it('lets an operator run commands in write mode where no sandbox exists', () => {
    const grant = grantForSafetyMode('write', { ...context, unconfinedExec: true });
    expect(checkGrant(grant, { kind: 'exec', confined: false }).allowed).toBe(true);
  });

  it('keeps commands off the network in a folder that is not trusted', () => {
    expect(grantForSafetyMode('propose', { ...context, trusted: true }).network).toBe(true);
    expect(grantForSafetyMode('propose', { ...context, trusted: false }).network).toBe('tools');
  });

  it('keeps the network off when told so, in every mode', () => {
    for (const mode of ['read_only', 'propose', 'write', 'yolo'] as const) {
      expect(grantForSafetyMode(mode, { ...context, network: false }).network).toBe(false);
    }
  });
});

it('knows the real paths of homes and trees before the folders are made', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'amplifier-homes-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const link = join(folder, 'link');
  symlinkSync(folder, link);
  const environment = { AMPLIFIER_HOME: join(link, 'home'), AMPLIFIERD_HOME: join(link, 'daemon') };
  expect(ownHomes(environment)).toContain(join(folder, 'home'));
  expect(treesFolders(environment)).toContain(join(folder, 'daemon-trees'));
});
