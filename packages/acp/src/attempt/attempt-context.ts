import type { McpServer } from '@agentclientprotocol/sdk';
import type { Clock } from '@amplifier/core';
import type { LaunchRecord, StopSwitch, Turn } from '@amplifier/delegation';
import type { SessionStore } from '@amplifier/sessions';
import type { Isolation, Sandbox } from '@amplifier/workspace';
import type { AskRules } from '../client/rule-call.js';
import type { AskPerson } from '../client/turn-client.js';
import type { KeptSession } from '../engine/kept-session.js';
import type { TurnMirror } from '../engine/turn-mirror.js';
import type { AgentPool } from '../process/agent-pool.js';
import type { FrameJournal } from '../process/frame-journal.js';
import type { AgentDescriptor, Effort } from '../roster/descriptor.js';

/** What every attempt of a turn has in common. */
export interface AttemptContext {
  store: SessionStore;
  /** The user's permission rules; null where there are none. */
  rules: AskRules | null;
  launch: LaunchRecord;
  turn: Turn;
  stop: StopSwitch;
  clock: Clock;
  sandbox: Sandbox;
  pool: AgentPool;
  env: NodeJS.ProcessEnv;
  depth: number;
  mirror: TurnMirror;
  /** Keeps what the agent sends, as it came. */
  journal: FrameJournal | null;
  /** The tree of its own that the agent works in, if it has one. */
  isolation: Isolation | null;
  /** Resolves when everything is in place that has to be before the agent is told anything. */
  ready: Promise<unknown>;
  /** The agent has just been told something, and there is time. */
  told: () => void;
  /** The agent's session, for later turns to continue with. */
  remember: (session: Omit<KeptSession, 'cost'>) => void;
  /** Any sign of life. */
  touch: () => void;
  toolStarted: (id: string) => void;
  toolEnded: (id: string) => void;
  onCost: (amount: number) => void;
  /** A person approves what the agent does. */
  approves: boolean;
  ask: AskPerson | null;
  /** More to say, once the agent has answered; null when there is nothing. */
  more: (answer: string) => Promise<string | null>;
  /** The conversation so far, for an agent that does not know it. */
  retell: () => Promise<string>;
  /** Fail rather than tell the conversation again. */
  strictResume: boolean;
}

/** Who is to do it, and how. */
export interface AttemptTarget {
  agent: AgentDescriptor;
  model: string | null;
  /** Only a wish: an agent without this model continues with its own. */
  softModel: boolean;
  effort: Effort | null;
  mcp_servers: readonly McpServer[];
  /** The agent's id of the session to continue with. */
  earlier: string | null;
}
