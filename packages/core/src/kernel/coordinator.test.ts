import { ScriptedProvider } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { Coordinator } from './coordinator.js';
import type { MountPoint } from './mounts.js';

const create = () =>
  new Coordinator({
    session: { id: 's1', parent_id: 'p1' },
    plan: { session: { orchestrator: 'o', context: 'c' } },
  });
const tool = (name: string) => ({
  name,
  description: '',
  inputSchema: {},
  execute: async () => ({ success: true }),
});

describe('mount points', () => {
  it('hold one module at a single point, ignoring the name, and null when empty', () => {
    const { mounts } = create();
    expect(mounts.one('orchestrator')).toBeNull();
    const orchestrator = { execute: async () => '' };
    mounts.mount('orchestrator', orchestrator, 'ignored');
    expect(mounts.one('orchestrator')).toBe(orchestrator);
    mounts.unmount('orchestrator');
    expect(mounts.one('orchestrator')).toBeNull();
  });

  it('hold many by the given name or the module’s own, in a live map', () => {
    const { mounts } = create();
    const tools = mounts.all('tools');
    mounts.mount('tools', tool('a'));
    mounts.mount('tools', tool('b'), 'other');
    mounts.mount('providers', new ScriptedProvider([]));
    expect([...tools.keys()]).toEqual(['a', 'other']);
    mounts.unmount('tools', 'a');
    expect([...tools.keys()]).toEqual(['other']);
  });

  it('refuse a module without a name, and a point nobody knows', () => {
    const { mounts } = create();
    expect(() => mounts.mount('tools', tool(''))).toThrow(
      expect.objectContaining({ code: 'MOUNT_NAME_REQUIRED' }),
    );
    expect(() => mounts.unmount('tools')).toThrow(expect.objectContaining({ code: 'MOUNT_NAME_REQUIRED' }));
    expect(() => mounts.mount('kitchen' as MountPoint, tool('a') as never)).toThrow(
      /Unknown mount point 'kitchen'. Known: orchestrator/,
    );
    expect(() => mounts.all('hooks' as never)).toThrow(/register them on coordinator.hooks/);
    expect(() => mounts.one('kitchen' as never)).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_MOUNT_POINT' }),
    );
  });
});

describe('capabilities', () => {
  it('are null until registered, and the last registration wins', () => {
    const coordinator = create();
    expect(coordinator.getCapability('session.working_dir')).toBeNull();
    coordinator.registerCapability('session.working_dir', '/one');
    coordinator.registerCapability('session.working_dir', '/two');
    expect(coordinator.getCapability('session.working_dir')).toBe('/two');
  });
});

describe('contribution channels', () => {
  it('collect in order of registration, sync and async, without the empty ones', async () => {
    const { contributions } = create();
    contributions.register('observability.events', 'a', async () => ['x']);
    contributions.register('observability.events', 'b', () => null);
    contributions.register('observability.events', 'a', () => ['y']);
    contributions.register('other', 'c', () => 1);
    expect(await contributions.collect('observability.events')).toEqual([['x'], ['y']]);
    expect(await contributions.collect('nobody')).toEqual([]);
  });

  it('pass over a contributor that fails and report it', async () => {
    const coordinator = create();
    coordinator.contributions.register('c', 'bad', () => Promise.reject(new Error('no')));
    coordinator.contributions.register('c', 'good', () => 1);
    expect(await coordinator.contributions.collect('c')).toEqual([1]);
    expect(coordinator.diagnostics).toMatchObject([
      { code: 'CONTRIBUTOR_FAILED', message: expect.stringContaining("'bad'") },
    ]);
  });

  it('stop when cancelled, keeping what was gathered', async () => {
    const { contributions } = create();
    const stop = new AbortController();
    contributions.register('c', 'a', () => {
      stop.abort();
      return 1;
    });
    contributions.register('c', 'b', () => 2);
    expect(await contributions.collect('c', stop.signal)).toEqual([1]);
  });

  it('forget a contributor that was unregistered', async () => {
    const { contributions } = create();
    const off = contributions.register('c', 'a', () => 1);
    off();
    off();
    expect(await contributions.collect('c')).toEqual([]);
  });
});

describe('a coordinator', () => {
  it('stamps every event with its session', async () => {
    const coordinator = create();
    const seen: unknown[] = [];
    coordinator.hooks.register('test:event', (_, data) => void seen.push([data.session_id, data.parent_id]));
    await coordinator.hooks.emit('test:event', {});
    expect(seen).toEqual([['s1', 'p1']]);
  });

  it('does not lift a cancellation when a new turn begins', async () => {
    const coordinator = create();
    await coordinator.requestCancel('graceful');
    coordinator.resetTurn();
    expect(coordinator.cancellation.state).toBe('graceful');
  });
});
