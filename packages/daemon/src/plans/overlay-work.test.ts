import { expect, it, vi } from 'vitest';
import { applyOverlay } from './apply-overlay.js';
import { derivePlan } from './build-plan.js';
import { fillOverlaySources, type SourcesFrom } from './overlay-sources.js';
import type { MountPoint, PublicPlan } from './plan-schema.js';
import { validatePlan } from './validate-plan.js';

const MOUNTS = 1_000;

const agent = (name: string): MountPoint => ({
  mount_type: 'embedded',
  module_type: 'agent',
  module_id: `local/full.agent.${name}`,
  module: name,
  content: 'x',
  enabled: true,
  config: {},
  metadata: {},
});

const tool = (name: string): MountPoint => ({
  mount_type: 'referenced',
  module_type: 'tool',
  module_id: `local/full.tool.${name}`,
  module: 'tool-bash',
  source_path: 'builtin:tool-bash',
  enabled: true,
  config: {},
  metadata: {},
});

/** Mounts that count how often their ids are read. */
function counted() {
  const count = { reads: 0 };
  const mounts = Array.from({ length: MOUNTS }, (_, at) => {
    const { module_id, ...rest } = agent(`known${at}`);
    return Object.defineProperty({ ...rest } as MountPoint, 'module_id', {
      enumerable: true,
      get() {
        count.reads++;
        return module_id;
      },
    });
  });
  return { count, mounts };
}

const planOf = (mount_points: MountPoint[]): PublicPlan => ({
  format_version: 1,
  session: {
    session_id: 's',
    profile_id: 'local/full',
    parent_session_id: null,
    settings: {},
    created_at: '',
    lock_hash: null,
    instruction: '',
    session: {},
    task: {},
  },
  mount_points,
});

const named = { session_id: 's', parent_session_id: null, created_at: '' };

it.each(['known', 'new'])('an overlay reads each mount a few times, not once for each entry (%s)', (name) => {
  const { count, mounts } = counted();
  const agents = Object.fromEntries(Array.from({ length: MOUNTS }, (_, at) => [name + at, { content: 'y' }]));
  const result = applyOverlay(mounts, { agents }, 'local/full').mounts;
  expect(result).toHaveLength(name === 'new' ? 2 * MOUNTS : MOUNTS);
  expect(result.filter((mount) => 'content' in mount && mount.content === 'y')).toHaveLength(MOUNTS);
  expect(count.reads).toBeLessThan(10 * MOUNTS);
});

it('settings of many modules read each mount a few times', () => {
  const { count, mounts } = counted();
  const modules = Object.fromEntries(
    Array.from({ length: MOUNTS }, (_, at) => [`known${at}`, { config: { at } }]),
  );
  const plan = derivePlan(planOf(mounts), { ...named, settings: { modules }, overlay: {} });
  expect(plan.mount_points.map(({ config }) => config.at)).toEqual([...Array(MOUNTS).keys()]);
  expect(count.reads).toBeLessThan(10 * MOUNTS);
});

it('a plan is validated without comparing each setting with each mount', async () => {
  const modules = Object.fromEntries(Array.from({ length: MOUNTS }, (_, at) => [`other${at}`, {}]));
  const compared = vi.spyOn(String.prototype, 'endsWith');
  const { mounts } = counted();
  const { warnings } = await validatePlan({ ...planOf([...mounts]), session: { settings: { modules } } }, []);
  const calls = compared.mock.calls.length;
  compared.mockRestore();
  expect(warnings.unknown_modules).toHaveLength(MOUNTS);
  expect(calls).toBeLessThan(10 * MOUNTS);
});

it.each(['agents', 'context', 'providers', 'tools', 'hooks', 'session'])(
  'an overlay with more than 1,000 entries in %s is refused before a source is read',
  async (section) => {
    const message = `${section} has 1001 entries; at most 1000 are allowed`;
    const entries = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`a${at}`, { source: 'x' }]));
    for (const value of [entries, Object.values(entries)]) {
      expect(() => applyOverlay([], { [section]: value }, 'local/full')).toThrow(message);
      const resolve = vi.fn();
      const from = { refs: { resolve }, base: null, homes: [], scope: 'run' } as unknown as SourcesFrom;
      await expect(fillOverlaySources({ [section]: value }, from)).rejects.toThrow(message);
      expect(resolve).not.toHaveBeenCalled();
    }
  },
);

it('one setting that is copied to many modules is refused beyond 16 MB', () => {
  const tools = Array.from({ length: MOUNTS }, (_, at) => tool(`t${at}`));
  const derive = (timeout: string) =>
    derivePlan(planOf(tools), {
      ...named,
      settings: { modules: { 'tool-bash': { config: { timeout } } } },
      overlay: {},
    });
  expect(derive('x'.repeat(10_000)).mount_points[999]?.config.timeout).toHaveLength(10_000);
  expect(() => derive('x'.repeat(20_000))).toThrow('settings.modules.tool-bash fits 1000 modules');
});
