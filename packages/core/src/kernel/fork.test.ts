import { recordEvents, scriptedSession, settle } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../data/json.js';
import type { MountPlan } from './mount-plan.js';

const PLAN = {
  session: {
    orchestrator: { module: 'loop-minimal', config: { max: 5 } },
    context: 'context-memory',
    metadata: { tool_call_id: 'c0' },
  },
  tools: [{ module: 'tool-test', config: { roots: ['a'] } }],
  agents: { explorer: { description: 'Explores.' } },
};

async function parentSession(script = () => ({ text: 'Done.' })) {
  const { session, model } = scriptedSession({ script, plan: PLAN });
  await session.initialize();
  return { session, model };
}

describe('fork', () => {
  it('returns a child that can execute at once, on the merged plan', async () => {
    const { session } = await parentSession();
    const child = await session.fork(
      { tools: [{ module: 'tool-test', config: { depth: 1 } }] },
      'Design the auth system',
    );
    expect(child.parent_id).toBe(session.id);
    expect(child.plan.tools).toEqual([{ module: 'tool-test', config: { roots: ['a'], depth: 1 } }]);
    expect(await child.execute('Design it.')).toBe('Done.');
    await child.cleanup();
  });

  it('emits session:fork with the task, and hands down no metadata of the parent', async () => {
    const forks: JsonObject[] = [];
    const { session } = scriptedSession({
      plan: { ...PLAN, hooks: ['hooks-x'] },
      modules: {
        'hooks-x': {
          mount: ({ hooks }) => void hooks.register('session:fork', (_, data) => void forks.push(data)),
        },
      },
    });
    await session.initialize();
    const child = await session.fork({ session: { metadata: { agent_name: 'explorer' } } }, 'Look around');
    expect(forks).toMatchObject([
      {
        parent: session.id,
        session_id: child.id,
        metadata: { agent_name: 'explorer', task_description: 'Look around' },
      },
    ]);
    expect(forks[0]?.metadata).not.toHaveProperty('tool_call_id');
  });

  it('leaves the parent deep-equal over 100 forks with overlays that write everywhere', async () => {
    const { session } = await parentSession();
    const before = structuredClone(session.plan);
    const text = JSON.stringify(session.plan);
    for (let index = 0; index < 100; index++) {
      const child = await session.fork({
        session: { orchestrator: { module: 'loop-minimal', config: { max: index } }, metadata: { index } },
        tools: [{ module: 'tool-test', config: { roots: [String(index)] } }, 'tool-extra'],
        agents: { [`agent-${index}`]: {} },
      });
      child.plan.agents = { ...(child.plan.agents as JsonObject), explorer: 'changed by the child' };
      child.plan.session.metadata = { mine: index };
      await child.cleanup();
    }
    expect(session.plan).toEqual(before);
    expect(JSON.stringify(session.plan)).toBe(text);
  });

  it('gives parallel children plans of their own', async () => {
    const { session } = await parentSession();
    const children = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        session.fork({ session: { metadata: { index } } }, `task ${index}`),
      ),
    );
    for (const [index, child] of children.entries()) {
      child.plan.tools = [...(child.plan.tools ?? []), { module: `written-by-${index}` }];
      await settle();
    }
    for (const [index, child] of children.entries()) {
      expect(child.plan.session.metadata).toEqual({ index, task_description: `task ${index}` });
      expect(child.plan.tools).toHaveLength(2);
      expect(child.plan.tools?.[1]).toEqual({ module: `written-by-${index}` });
    }
  });

  it('changes nothing for any overlay', async () => {
    const { session } = await parentSession();
    const text = JSON.stringify(session.plan);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }), async (extra) => {
        const child = await session.fork({ app: extra } as JsonObject);
        expect(child.plan.app).toEqual(extra);
        await child.cleanup();
        expect(JSON.stringify(session.plan)).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it('shares the ways to people, the source resolver and the working folder', async () => {
    const approval = { requestApproval: async () => 'Allow' };
    const { session } = scriptedSession({ plan: PLAN, approval });
    session.coordinator.registerCapability('session.working_dir', '/somewhere');
    const resolver = { resolve: async () => 'x' };
    session.coordinator.mounts.mount('module-source-resolver', resolver);
    await session.initialize();
    const child = await session.fork();
    expect(child.coordinator.approval).toBe(approval);
    expect(child.coordinator.mounts.one('module-source-resolver')).toBe(resolver);
    expect(child.coordinator.getCapability('session.working_dir')).toBe('/somewhere');
  });

  it('links cancellation downwards only, to late children too, and unlinks with cleanup', async () => {
    const { session } = await parentSession();
    const first = await session.fork();
    await first.coordinator.requestCancel('immediate');
    expect(session.coordinator.cancellation.state).toBe('none');
    await session.coordinator.requestCancel('graceful');
    const late = await session.fork();
    expect(late.coordinator.cancellation.state).toBe('graceful');
    await late.cleanup();
    await session.coordinator.requestCancel('immediate');
    expect(late.coordinator.cancellation.state).toBe('graceful');
  });

  it('refuses an overlay that breaks the plan, naming the place', async () => {
    const { session } = await parentSession();
    await expect(session.fork({ session: { orchestrator: 5 } })).rejects.toMatchObject({
      code: 'INVALID_MOUNT_PLAN',
      message: expect.stringContaining('session.orchestrator'),
    });
    expect((session.plan as MountPlan).session.orchestrator).toEqual({
      module: 'loop-minimal',
      config: { max: 5 },
    });
  });

  it('of a closed session is refused', async () => {
    const { session } = await parentSession();
    await session.cleanup();
    await expect(session.fork()).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  });

  it('does not show the child’s events to the parent’s listeners by itself', async () => {
    const { session } = await parentSession();
    const events = recordEvents(session.coordinator.hooks);
    const child = await session.fork();
    await child.execute('go');
    expect(events.names()).toEqual([]);
  });
});
