import { type ChatRequest, ModuleLoader, type MountPlan, textOf } from '@amplifier/core';
import { delegationModules } from '@amplifier/delegation';
import { memoryContextModule, minimalLoopModule, ScriptedProvider } from '@amplifier/testkit';
import { NoSandbox, SafetyMode } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import { acpBench, patchOf, sandbox } from '../../test-support/acp-bench.js';

/** Who asks for the agent: a person by name, or a model that delegates. */
const ASKED_BY = ['person', 'model'] as const;
/** Why the folder may be changed: the user's list, a word of the caller or operator that counts, or nothing. */
const FOLDERS = ['listed', 'declared', 'unknown'] as const;

const WRITES = '!write b.txt hello\n!say Done.';

interface Scene {
  by: (typeof ASKED_BY)[number];
  folder?: (typeof FOLDERS)[number];
  mode?: SafetyMode;
  /** What the person says to every question; null: nobody is asked before changes. */
  person?: 'allow' | 'deny' | null;
  prompt?: string;
  held?: boolean;
}

async function play({
  by,
  folder = 'listed',
  mode = 'write',
  person = null,
  prompt = WRITES,
  held = true,
}: Scene) {
  const asked: string[] = [];
  const told: string[] = [];
  const model = new ScriptedProvider((request: ChatRequest) => {
    const result = request.messages.findLast(({ role }) => role === 'tool');
    if (result) told.push(textOf(result.content));
    const call = { agent: 'acp:chaos', instruction: prompt, context_depth: 'none' };
    return result ? { text: 'Over.' } : { tool_calls: [{ name: 'delegate', arguments: call }] };
  });
  const bench = await acpBench({
    engine: {
      isTrusted: async () => folder === 'listed',
      ...(held ? {} : { sandbox: new NoSandbox('This test has none.') }),
      onQuestion: ({ session_id, id, prompt: question }) => {
        asked.push(question);
        void bench.delegator.control.answer(session_id, id, person ?? 'deny');
      },
    },
    delegator: {
      loader: new ModuleLoader({
        builtins: {
          ...delegationModules,
          loop: () => minimalLoopModule,
          context: () => memoryContextModule,
          provider: () => ({ mount: ({ mounts }) => mounts.mount('providers', model) }),
          'hooks-approval': () => ({ mount: () => {} }),
        },
      }),
    },
  });
  const plan: MountPlan = {
    session: { orchestrator: 'loop', context: 'context' },
    providers: ['provider'],
    tools: ['tool-delegate'],
    ...(person === null ? {} : { hooks: ['hooks-approval'] }),
  };
  const { agent, ...request } = bench.request(prompt, { plan, safety_mode: mode });
  const { outcome } = await bench.delegator.start({
    ...request,
    ...(by === 'person' ? { agent: agent as string } : { instruction: 'Go.' }),
    trust_declared: folder === 'declared',
  });
  const changed = await bench.repo.git('status', '--porcelain');
  return { outcome, asked, told: told.join(), changed, close: () => bench[Symbol.asyncDispose]() };
}

const needsTrust = (mode: SafetyMode) => mode === 'write' || mode === 'yolo';

describe.runIf(sandbox.name !== 'none')(
  'an external agent changes files only in a folder that somebody trusts',
  () => {
    const table = ASKED_BY.flatMap((by) =>
      SafetyMode.options.flatMap((mode) => FOLDERS.map((folder) => ({ by, mode, folder }))),
    );
    it.each(table)(
      'asked for by a $by, in $mode, in a folder that is $folder',
      async ({ by, mode, folder }) => {
        const { outcome, changed, told, close } = await play({ by, mode, folder });
        const allowed = needsTrust(mode) && folder !== 'unknown';
        expect(changed).toBe(allowed ? '?? b.txt' : '');
        const refused = needsTrust(mode) && folder === 'unknown';
        if (by === 'person' && refused)
          expect(outcome).toMatchObject({ status: 'denied', error: { code: 'WORKSPACE_NOT_TRUSTED' } });
        else expect(outcome.status).toBe('completed');
        if (by === 'model' && refused) expect(told).toContain('could only read');
        await close();
      },
    );
  },
);

describe('a person who approves changes approves those of an external agent', () => {
  const answers = ASKED_BY.flatMap((by) => (['allow', 'deny'] as const).map((person) => ({ by, person })));
  it.runIf(sandbox.name !== 'none').each(answers)(
    'before they are applied: asked for by a $by, the person says $person',
    async ({ by, person }) => {
      const { outcome, changed, asked, told, close } = await play({ by, person });
      expect(asked).toEqual(['Apply what Chaos changed?\nadded b.txt']);
      expect(changed).toBe(person === 'allow' ? '?? b.txt' : '');
      if (by === 'model') expect(told.includes('not approved')).toBe(person === 'deny');
      else if (person === 'deny') {
        expect(outcome).toMatchObject({ status: 'denied', error: { code: 'ACP_DENIED' } });
        expect(patchOf(outcome)).toMatchObject({ applied: false, changes: [{ path: 'b.txt' }] });
      }
      await close();
    },
  );

  it.runIf(sandbox.name !== 'none')('and the commands it asks for', async () => {
    const { outcome, asked, close } = await play({ by: 'person', person: 'deny', prompt: '!ask execute' });
    expect(asked).toEqual([expect.stringMatching(/^execute/)]);
    expect(outcome).toMatchObject({ text: '[decline]' });
    await close();
  });

  it('and the agent as a whole where no sandbox holds it', async () => {
    const { outcome, asked, changed, close } = await play({ by: 'person', person: 'deny', held: false });
    expect(asked).toEqual([expect.stringContaining('without a sandbox')]);
    expect(outcome).toMatchObject({ status: 'denied', error: { code: 'ACP_DENIED' } });
    expect(changed).toBe('');
    await close();
  });
});
