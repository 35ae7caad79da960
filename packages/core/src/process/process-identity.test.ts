import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasEnded, livenessOf, ProcessIdentity, systemLiveness } from './process-identity.js';

const { self } = systemLiveness;

describe.runIf(existsSync('/proc/self/stat'))('process identity', () => {
  it('knows a live process, a dead one, and another with the same number', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await once(child, 'spawn');
    const stat = await import('node:fs/promises').then(({ readFile }) =>
      readFile(`/proc/${child.pid}/stat`, 'utf8'),
    );
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    const other = { ...self, pid: child.pid ?? 0, start };
    expect(systemLiveness.isAlive(self)).toBe(true);
    expect(systemLiveness.isAlive(other)).toBe(true);
    expect(systemLiveness.isAlive({ ...other, start: '1' })).toBe(false);
    child.kill('SIGSTOP');
    expect(systemLiveness.isAlive(other)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(systemLiveness.isAlive(other)).toBe(false);
  });

  it('takes what it cannot see for alive, whatever the machine is called', () => {
    const gone = { ...self, pid: 2 ** 22 - 1, start: '1' };
    expect(systemLiveness.isAlive(gone)).toBe(false);
    expect(systemLiveness.isAlive({ ...gone, host: 'renamed' })).toBe(false);
    expect(systemLiveness.isAlive({ ...gone, namespace: 'pid:[1]' })).toBe(true);
    expect(systemLiveness.isAlive({ ...gone, boot: 'another boot' })).toBe(true);
    expect(livenessOf({ ...gone, boot: 'another boot' })).toBe('unknown');
  });

  it('knows that the owner of a local file has ended with an earlier boot, but not in another container', () => {
    expect(hasEnded(self)).toBe(false);
    expect(hasEnded({ ...self, start: '1' })).toBe(true);
    expect(hasEnded({ ...self, boot: 'another boot' })).toBe(true);
    expect(hasEnded({ ...self, namespace: 'pid:[1]' })).toBe(false);
  });

  it('reads the form that trees and patches were stored in earlier', () => {
    const { pid, start, boot, namespace } = self;
    const stored = { pid, start_time: Number(start), namespace: `${boot}/${namespace}` };
    expect(livenessOf(ProcessIdentity.parse(stored))).toBe('alive');
    expect(hasEnded(ProcessIdentity.parse({ ...stored, start_time: 1 }))).toBe(true);
    expect(ProcessIdentity.safeParse({ pid }).success).toBe(false);
  });
});
