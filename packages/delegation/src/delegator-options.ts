import type { Clock, Coordinator, DisplaySystem, ModuleLoader, MountPlan, Report } from '@amplifier/core';
import type { RunQueue, SessionStore } from '@amplifier/sessions';
import type { Unreadable } from '@amplifier/workspace';
import type { AgentCatalog } from './agents.js';
import type { ContextFiles } from './context/inherit-context.js';
import type { Engine } from './engine/engine.js';
import type { TreeNeeds } from './engine/isolated-engine.js';
import type { Question } from './engine/questions.js';
import type { ExpandedInstruction, InstructionReader } from './instruction-of.js';
import type { LaunchRecord } from './launch-record.js';
import type { Parent } from './parent.js';

/** What an entry point brings. Only the store and the loader are always needed. */
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
  /** Throws, before anything is made, for a launch that lacks something it declares, such as a skill. */
  checkLaunch?: (launch: LaunchRecord) => Promise<void>;
  /** What rules deny to read now, whatever the grant of the launch says. Must reject when the rules cannot be read. */
  unreadable?: (launch: Pick<LaunchRecord, 'workspace' | 'plan'>) => Promise<Unreadable>;
  /** Works on an instruction from outside before it is stored, such as reading the files it mentions, with the rights of the
   *  session that gets it. Never sees what a model wrote, nor inherited text. */
  expandInstruction?: (instruction: string, reader: InstructionReader) => Promise<ExpandedInstruction>;
  /** Told of every question of every session here. Answer with `answer`. Without it every question is a no. */
  onQuestion?: (question: Question) => void;
  /** Approvals wait until they are answered: the entry point itself sees to their time, also across its own restarts. */
  withoutTimeout?: boolean;
  /** Puts the app's own capabilities on each session before its modules mount. */
  equip?: (coordinator: Coordinator, parent: Parent) => void;
  /** A plan that still has the secrets stored plans lack. */
  livePlan?: MountPlan;
  /** Where trees of isolated children live. Without it no child can be isolated. */
  isolationHome?: string;
  /** What an isolated tree gets beside the files of its source. */
  isolation?: TreeNeeds;
  /** Who runs background children: this process (the default), or whoever this calls, such as a detached worker. */
  runInBackground?: () => void;
}
