import type { Coordinator, JsonObject } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import type { BackgroundWork } from './background.js';
import type { Control } from './control.js';
import type { DelegateConfig } from './delegate-config.js';
import { delegateResult } from './delegate-result.js';
import type { Delegation } from './delegation.js';
import type { Questions } from './engine/questions.js';
import { liveChildren } from './live-children.js';
import type { LiveSessions } from './live-sessions.js';
import { outcomeText } from './outcome.js';
import type { Parent } from './parent.js';
import { askParentTool } from './tools/ask-parent-tool.js';

/** What spawning and resuming give back: at least the answer and the session it came from. */
export interface SpawnResult {
  output: string;
  session_id: string;
  status?: string;
  turn_count?: number;
  metadata?: JsonObject;
  agent?: string | null;
  /** All there is to know, when this package's own service did it. */
  delegation?: Delegation;
}

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
    /** The session as a parent, and the service that serves it. */
    'session.delegation': {
      delegator: DelegationService;
      parent: Parent;
      delegate: Capabilities['session.spawn'];
    };
    self_delegation_depth: number;
  }
}

/** What a session and its tools use of the Delegator. */
export interface DelegationService {
  readonly store: SessionStore;
  readonly live: LiveSessions;
  readonly control: Control;
  readonly background: BackgroundWork | null;
  delegate(input: unknown, parent: Parent, config?: DelegateConfig): Promise<Delegation>;
}

/** Puts delegation on a session: the capabilities its tools use, and the tool by which a child asks its parent. */
export function equipSession(
  delegator: DelegationService,
  coordinator: Coordinator,
  parent: Parent,
  questions: Questions,
): void {
  coordinator.registerCapability('self_delegation_depth', parent.self_depth);
  const { store, live } = delegator;
  const { session_id, log } = parent;
  // The first epoch is that of the process that created the session and has not let go of it.
  const children = liveChildren(store, live, { session_id, isNew: log?.epoch === 1 });
  coordinator.registerCapability('session.live_children', children);
  const delegate = async (request: JsonObject, config?: DelegateConfig) =>
    spawnResult(await delegator.delegate(withUsualNames(request), parent, config), config);
  coordinator.registerCapability('session.delegation', { delegator, parent, delegate });
  coordinator.registerCapability('session.spawn', delegate);
  coordinator.registerCapability('session.resume', delegate);
  if (parent.may_ask) coordinator.mounts.mount('tools', askParentTool(delegator.store, parent, questions));
}

/** Modules written for other hosts say who gets the task by other names. */
function withUsualNames({ agent_name, sub_session_id, ...request }: JsonObject): JsonObject {
  return {
    ...(agent_name === undefined ? {} : { agent: agent_name }),
    ...(sub_session_id === undefined ? {} : { session_id: sub_session_id }),
    ...request,
  };
}

function spawnResult(delegation: Delegation, config?: DelegateConfig): SpawnResult {
  if (delegation.kind === 'background') {
    const { session_id, agent } = delegation.launch;
    const running = { output: '', session_id, status: 'running', turn_count: 0, metadata: {} };
    return { ...running, agent: agent.name, delegation };
  }
  const { outcome, launch } = delegation;
  const { session_id, status, turn_count, metadata, agent } = delegateResult(outcome, launch, config);
  return { output: outcomeText(outcome), session_id, status, turn_count, metadata, agent, delegation };
}
