import {
  type Coordinator,
  errorInfo,
  type JsonObject,
  type Tool,
  toolFailure,
  toolSuccess,
} from '@amplifier/core';
import { isTerminal, type SessionStore, type SessionSummary } from '@amplifier/sessions';
import { DEFAULT_LIMITS } from '../defaults.js';
import type { Questions } from '../engine/questions.js';
import type { DelegateConfig } from '../request/delegate-config.js';
import { type SpawnResult, spawnResult } from '../request/delegate-result.js';
import type { Runtime } from '../runtime.js';
import { delegate } from '../turn/delegate.js';
import type { LiveSessions } from '../turn/live-sessions.js';
import type { Parent } from '../turn/parent.js';

declare module '@amplifier/core' {
  interface Capabilities {
    /**
     * Hands a task to a new child. An app may register another policy. `config` is that of the calling tool. `agent_name` is
     * understood for `agent`.
     */
    'session.spawn': (request: JsonObject, config?: DelegateConfig) => Promise<SpawnResult>;
    /** Gives an existing session another instruction. `sub_session_id` is understood for `session_id`. */
    'session.resume': (
      request: ({ session_id: string } | { sub_session_id: string }) & { instruction: string } & JsonObject,
      config?: DelegateConfig,
    ) => Promise<SpawnResult>;
    /** The session as a parent, and the runtime that runs it. */
    'session.delegation': {
      runtime: Runtime;
      parent: Parent;
      delegate: Capabilities['session.spawn'];
    };
    self_delegation_depth: number;
  }
}

/** Registers delegation and the host's own capabilities on a session. Must be called before its modules mount. */
export function equipSession(
  runtime: Runtime,
  coordinator: Coordinator,
  parent: Parent,
  questions: Questions,
): void {
  const { store, live, project } = runtime;
  const { session_id, log } = parent;
  live.addParent(parent);
  coordinator.registerCleanup(() => live.removeParent(parent));
  coordinator.registerCapability('self_delegation_depth', parent.self_depth);
  // The first epoch is that of the process that created the session and has not let go of it.
  const children = liveChildren(store, live, { session_id, isNew: log?.epoch === 1 });
  coordinator.registerCapability('session.live_children', children);
  const spawn = async (request: JsonObject, config?: DelegateConfig) =>
    spawnResult(await delegate(runtime, withUsualNames(request), parent, config), config);
  coordinator.registerCapability('session.delegation', { runtime, parent, delegate: spawn });
  coordinator.registerCapability('session.spawn', spawn);
  coordinator.registerCapability('session.resume', spawn);
  if (parent.may_ask) coordinator.mounts.mount('tools', askParentTool(store, parent, questions));
  project.equip(coordinator, parent);
}

/** Modules written for other hosts say who gets the task by other names. */
function withUsualNames(request: JsonObject): JsonObject {
  const { agent_name, sub_session_id, agent = agent_name, session_id = sub_session_id } = request;
  return { ...request, agent, session_id, agent_name: undefined, sub_session_id: undefined };
}

/**
 * Names the children of a running session that still work, for its model. While the model is asked only children in the background
 * can be at work. Those of this turn are in `live`, so the record is read once per turn, for those of earlier turns, and
 * then only while there are some. A session that `isNew` had no earlier turn.
 */
function liveChildren(
  store: SessionStore,
  live: LiveSessions,
  { session_id, isNew }: { session_id: string; isNew: boolean },
): () => Promise<string | null> | null {
  let isKnown = isNew;
  const read = async () => {
    const running = await childrenAtWork(store, live, session_id);
    live.setBackground(
      session_id,
      running.map((child) => child.session_id),
    );
    isKnown = true;
    return describe(running);
  };
  return () => (isKnown && live.background(session_id).size === 0 ? null : read());
}

async function childrenAtWork(
  store: SessionStore,
  live: LiveSessions,
  session_id: string,
): Promise<SessionSummary[]> {
  const running: SessionSummary[] = [];
  for (const child of await store.children(session_id)) {
    if (await isAtWork(child, store, live)) running.push(child);
  }
  return running;
}

function describe(running: readonly SessionSummary[]): string | null {
  if (running.length === 0) return null;
  const lines = running.map(
    ({ session_id: id, agent_name, status, created }) =>
      `- ${agent_name ?? 'agent'} ${id} (${status}, since ${created})`,
  );
  return ['Agents of yours that are at work; their results will be delivered to you:', ...lines].join('\n');
}

/** A listing may trail; the session itself knows. */
async function isAtWork(
  { session_id, status }: SessionSummary,
  store: SessionStore,
  live: LiveSessions,
): Promise<boolean> {
  if (isTerminal(status)) return false;
  if (live.has(session_id)) return true;
  // A damaged or deleted session does not work.
  const metadata = await store.metadata(session_id).catch(() => null);
  return metadata !== null && !isTerminal(metadata.status);
}

const DELEGATING = new WeakSet<Tool>();

/** Marks a tool that hands its call to the session's spawn capability and does nothing else. */
export function delegatingTool(tool: Tool): Tool {
  DELEGATING.add(tool);
  return tool;
}

/**
 * Is a call of this name a delegation that begins with a write to the session store? Not when another tool has the name, and
 * not when an app has put its own policy in place.
 */
export function beginsWithWrite(coordinator: Coordinator, name: string): boolean {
  const tool = coordinator.mounts.all('tools').get(name);
  if (!tool || !DELEGATING.has(tool)) return false;
  const own = coordinator.getCapability('session.delegation')?.delegate;
  return (
    own !== undefined &&
    coordinator.getCapability('session.spawn') === own &&
    coordinator.getCapability('session.resume') === own
  );
}

const QUESTION_SCHEMA = {
  type: 'object',
  properties: {
    question: { type: 'string', description: 'One question, with all that is needed to answer it.' },
  },
  required: ['question'],
  additionalProperties: false,
};

/**
 * Lets a child ask its parent. A parent that waits cannot answer, so the child's turn ends with the question and is resumed
 * with the answer. A parent that does not wait gets the question as a message, and the child waits.
 */
function askParentTool(store: SessionStore, self: Parent, questions: Questions): Tool {
  return {
    name: 'ask_parent',
    description:
      'Asks the session that gave you this task a question you cannot answer yourself. Use it only when you cannot continue without the answer.',
    inputSchema: QUESTION_SCHEMA,
    async execute({ question }, { signal }) {
      if (typeof question !== 'string' || question.trim() === '')
        return toolFailure('The question is empty.');
      if (!self.background) {
        self.askAndEnd(question);
        return toolSuccess(
          'Your question was sent to the session that gave you the task. The answer will be your next message.',
        );
      }
      const id = `question_${globalThis.crypto.randomUUID()}`;
      try {
        const asked = questions.ask(
          { kind: 'question', prompt: question, options: [], id },
          DEFAULT_LIMITS.timeout,
          signal,
        );
        await store.send({
          to: self.parent_id ?? '',
          kind: 'question',
          from: self.session_id,
          id,
          body: { text: question, agent: self.agent_name, session_id: self.session_id },
        });
        return toolSuccess(await asked);
      } catch (error) {
        return toolFailure(`There was no answer: ${errorInfo(error).message}`);
      }
    },
  };
}
