import type { Clock, Coordinator, DisplaySystem, ModuleLoader, MountPlan, Report } from '@amplifier/core';
import type { RunQueue, SessionStore } from '@amplifier/sessions';
import type { Grant } from '@amplifier/workspace';
import type { AgentCatalog } from './agents.js';
import type { ContextFiles } from './context/inherit-context.js';
import type { Engine } from './engine/engine.js';
import type { Question } from './engine/questions.js';
import type { LaunchRecord } from './launch-record.js';
import type { Parent } from './parent.js';

/** What a door brings. Only the store and the loader are always needed. */
export interface DelegatorOptions {
  store: SessionStore;
  loader: ModuleLoader;
  /** Where children that run in the background wait. Without it there are none. */
  queue?: RunQueue;
  agents?: AgentCatalog;
  /** Engines beside the one in this process, by the word before the colon of an engine id: `acp` for `acp:claude_code`. */
  engines?: Record<string, Engine>;
  clock?: Clock;
  report?: Report;
  display?: DisplaySystem;
  /** The system prompt of a session. Default: the agent's instruction as it is. */
  systemPrompt?: (launch: LaunchRecord) => Promise<string | null>;
  /** What the folder a session works in adds to its system prompt, for the context manifest. */
  contextFiles?: (cwd: string) => Promise<ContextFiles>;
  /** Works on an instruction from outside before it is stored, such as reading the files it mentions, with the rights of the
   *  session that gets it. Never sees what a model wrote, nor inherited text. */
  expandInstruction?: (instruction: string, reader: { cwd: string; grant: Grant }) => Promise<string>;
  /** Told of every question of every session here. Answer with `answer`. Without it every question is a no. */
  onQuestion?: (question: Question) => void;
  /** Approvals wait until they are answered: the door itself sees to their time, also across its own restarts. */
  withoutTimeout?: boolean;
  /** Puts the app's own capabilities on each session before its modules mount. */
  equip?: (coordinator: Coordinator, seat: Parent) => void;
  /** A plan that still has the secrets stored plans lack. */
  livePlan?: MountPlan;
  /** Where trees of isolated children live. Without it no child can be isolated. */
  isolationHome?: string;
  /** Who runs background children: this process (the default), or whoever this calls, such as a detached worker. */
  runInBackground?: () => void;
}
