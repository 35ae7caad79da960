import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AmplifierModule, HookReply, JsonObject, Tool } from '@amplifier/core';
import { scriptedSession, VirtualClock } from '@amplifier/testkit';
import fc from 'fast-check';
import * as contextSimple from '../src/contexts/context-simple.js';
import approval from '../src/hooks/hooks-approval/index.js';
import { readRules } from '../src/hooks/hooks-approval/permission-rule.js';
import type { SessionPermissions } from '../src/hooks/hooks-approval/session-permissions.js';
import { loopBasic } from '../src/orchestrators/loop.js';

/** How the other guard of the session behaves. */
const Behaviour = fc.constantFrom(
  'silent',
  'deny',
  'throw',
  'reject',
  'hang',
  'nonsense',
  'ask',
  'modify',
  'too deep',
);
const Answer = fc.constantFrom('Allow', 'Allow once', 'Allow always', 'Deny', '', 'yes', 'throw', 'hang');
/** What the user's rules say of the tool, or how they cannot be read. */
const Rules = fc.constantFrom('none', 'none', 'allow', 'ask', 'deny', 'throw', 'hang');
/** What the other guard stands before. */
const Stand = fc.constantFrom('tool:pre', 'tool:pre', 'prompt:submit', 'provider:request');
const Memory = fc.constantFrom('none', 'missing', 'a folder', 'damaged', 'null');

/** Arguments as a hostile model would write them: any data, and now and then nested beyond all bounds. */
const Arguments = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>),
  fc.record({ command: fc.string(), path: fc.oneof(fc.string(), fc.constant('a/'.repeat(5000))) }),
  fc.integer({ min: 65, max: 5000 }).map((depth) => ({ path: 'x', deep: nested(depth) })),
);

export const GuardTrial = fc.record({
  arguments: Arguments,
  behaviour: Behaviour,
  priority: fc.constantFrom(-1000, 0, 899, 901, 2000),
  answers: fc.tuple(Answer, Answer),
  memory: Memory,
  rules: Rules,
  stand: Stand,
});
type GuardTrial = typeof GuardTrial extends fc.Arbitrary<infer Trial> ? Trial : never;

export interface GuardTrialEnd {
  acts: number;
  /** What people were asked, and said. */
  said: string[];
}

/**
 * One call of an acting tool in a session where every call has to be approved, another guard does as the trial says, and people,
 * memory and arguments misbehave.
 */
export async function runGuardTrial(trial: GuardTrial): Promise<GuardTrialEnd> {
  const folder = await mkdtemp(join(tmpdir(), 'guards-'));
  const clock = new VirtualClock('2026-03-01T12:00:00.000Z');
  const answers = [...trial.answers];
  const end: GuardTrialEnd = { acts: 0, said: [] };
  const act: Tool = {
    name: 'act',
    description: '',
    inputSchema: {},
    execute: async () => {
      end.acts++;
      return { success: true };
    },
  };
  try {
    const memory_file = await memoryFile(trial.memory, folder);
    const modules: Record<string, AmplifierModule> = {
      'loop-basic': loopBasic,
      'context-simple': contextSimple,
      'hooks-approval': approval,
      'hooks-other': {
        mount: (coordinator) => {
          const { hooks } = coordinator;
          const { priority, stand } = trial;
          coordinator.registerCapability('session.permissions', permissions(trial.rules));
          hooks.register(stand, (_event, data) => behave(trial.behaviour, data), { priority });
          hooks.listen('tool:pre', () => {
            throw new Error('A listener decides nothing.');
          });
        },
      },
    };
    const config = { rules: [{ action: 'ask' }], ...(memory_file ? { memory_file } : {}) };
    const { session } = scriptedSession({
      clock,
      script: [
        { tool_calls: [{ name: 'act', arguments: trial.arguments as JsonObject }] },
        { text: 'Done.' },
      ],
      tools: [act],
      modules,
      plan: {
        session: { orchestrator: 'loop-basic', context: 'context-simple' },
        hooks: ['hooks-other', { module: 'hooks-approval', config }],
      },
      approval: {
        requestApproval: ({ signal }) => {
          const answer = answers.shift() ?? 'Deny';
          end.said.push(answer);
          if (answer === 'throw') return Promise.reject(new Error('The screen is gone.'));
          if (answer !== 'hang') return Promise.resolve(answer);
          queueMicrotask(() => void session.coordinator.requestCancel('immediate'));
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      },
    });
    await session.initialize();
    const turn = session.execute('Go');
    let over = false;
    void turn.catch(() => {}).finally(() => (over = true));
    while (!over) {
      await new Promise((resolve) => setImmediate(resolve));
      if (trial.behaviour === 'hang' || trial.rules === 'hang') await clock.advance(10_000);
    }
    // A turn that a guard ended has no answer.
    if (trial.stand === 'tool:pre') await turn;
    await session.cleanup();
    return end;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * May the trial have acted? Only when the other guard let it pass, the rules can be read and do not deny, and each question was
 * answered with yes.
 */
export function mayAct(trial: GuardTrial): boolean {
  const { behaviour, answers, memory, priority, arguments: input, rules, stand } = trial;
  const yes = (answer: string | undefined) => ['Allow', 'Allow once', 'Allow always'].includes(answer ?? '');
  if ('deep' in input || ['deny', 'throw', 'hang'].includes(rules)) return false;
  const isAsked = rules !== 'allow';
  if (isAsked && (memory === 'a folder' || memory === 'null')) return false;
  const own = !isAsked || yes(answers[0]);
  if (behaviour === 'silent') return own;
  if (behaviour === 'modify') return own && (priority < 900 || stand !== 'tool:pre');
  if (behaviour !== 'ask') return false;
  return isAsked ? answers.every(yes) : yes(answers[0]);
}

/** Is it certain what becomes of the trial? Elsewhere than before a tool a guard may also end the turn in other ways. */
export function isCertain({ stand, behaviour }: GuardTrial): boolean {
  return stand === 'tool:pre' || behaviour === 'silent';
}

function permissions(rules: GuardTrial['rules']): SessionPermissions {
  const action = rules === 'throw' || rules === 'hang' || rules === 'none' ? null : rules;
  return {
    rules: () => {
      if (rules === 'throw') return Promise.reject(new Error('The rules cannot be read.'));
      if (rules === 'hang') return new Promise(() => {});
      return Promise.resolve(action ? readRules({ [action]: ['act'] }, 'a test') : []);
    },
    allowHere: () => {},
    exact: new Set(),
    file: null,
    write: () => Promise.resolve(),
  };
}

function behave(behaviour: GuardTrial['behaviour'], data: JsonObject): HookReply | Promise<HookReply> {
  if (behaviour === 'throw') throw new Error('The guard is broken.');
  if (behaviour === 'reject') return Promise.reject(new Error('The guard is broken.'));
  if (behaviour === 'hang') return new Promise(() => {});
  if (behaviour === 'nonsense') return 'go ahead' as unknown as HookReply;
  if (behaviour === 'deny') return { action: 'deny' };
  if (behaviour === 'ask') return { action: 'ask_user', approval_prompt: 'Really?' };
  if (behaviour === 'modify') return { action: 'modify', data: { ...data, tool_input: { path: 'other' } } };
  if (behaviour === 'too deep')
    return { action: 'modify', data: { ...data, tool_input: { deep: nested(20_000) } } };
  return null;
}

async function memoryFile(kind: GuardTrial['memory'], folder: string): Promise<string | null> {
  if (kind === 'none') return null;
  if (kind === 'a folder') return folder;
  const file = join(folder, 'allowed.jsonl');
  if (kind === 'damaged') await writeFile(file, '{"agent":null,"tool":"ac');
  if (kind === 'null') await writeFile(file, 'null\n');
  return file;
}

function nested(depth: number): JsonObject {
  const top: JsonObject = {};
  let inner = top;
  for (let level = 0; level < depth; level++) {
    const next: JsonObject = {};
    inner.a = next;
    inner = next;
  }
  return top;
}
