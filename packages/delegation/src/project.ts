import {
  AmplifierError,
  type Coordinator,
  type DisplaySystem,
  type MountPlan,
  type Report,
} from '@amplifier/core';
import type { Unreadable } from '@amplifier/workspace';
import type { Engine } from './engine/engine.js';
import { NO_NEEDS, type TreeNeeds } from './engine/isolated-engine.js';
import type { Question } from './engine/questions.js';
import { type AgentCatalog, NO_AGENTS } from './plan/agents.js';
import type { ContextFiles } from './plan/inherit-context.js';
import type { LaunchRecord } from './plan/launch-record.js';
import { DelegationError } from './request/delegation-error.js';
import type { ExpandedInstruction, InstructionReader } from './request/instruction.js';
import type { Parent } from './turn/parent.js';

/** What a host says about the project that sessions work in: the one port between this package and its host. */
export interface Project {
  agents: AgentCatalog;
  /** Engines beside the one in this process, by the word before the colon of an engine id: `acp` for `acp:claude_code`. */
  engines: Readonly<Record<string, Engine>>;
  /** A plan that still has the secrets stored plans lack. */
  livePlan: MountPlan | undefined;
  /** The folder of isolated trees. Without it no child can be isolated. */
  isolationHome: string | undefined;
  /** What an isolated tree gets beside the files of its source. */
  isolation: TreeNeeds;
  display: DisplaySystem | undefined;
  report: Report;
  /** The system prompt of a session. */
  systemPrompt(launch: LaunchRecord): Promise<string | null>;
  /** What the folder a session works in adds to its system prompt, for the context manifest. */
  contextFiles(cwd: string): Promise<ContextFiles | undefined>;
  /** Must reject, before anything is created, for a launch that lacks something it declares, such as a skill. */
  checkLaunch(launch: LaunchRecord): Promise<void>;
  /** What rules deny to read now, whatever the grant of the launch says. Must reject when the rules cannot be read. */
  unreadable(launch: Pick<LaunchRecord, 'workspace' | 'plan'>): Promise<Unreadable>;
  /**
   * Expands an instruction from outside before it is stored, such as the files it mentions, with the rights of the session that gets
   * it. Never sees what a model wrote, nor inherited text.
   */
  expandInstruction(instruction: string, reader: InstructionReader): Promise<ExpandedInstruction>;
  /** Registers the host's own capabilities on each session before its modules mount. */
  equip(coordinator: Coordinator, parent: Parent): void;
  /** Receives every question of every session here. Answer with `Control.answer`. Without it every question is a no. */
  onQuestion: ((question: Question) => void) | undefined;
  /** Approvals wait until they are answered: the host itself limits their time, also across its own restarts. */
  withoutTimeout: boolean;
}

/** A project without files, agents or people. */
export const BARE_PROJECT: Project = {
  agents: NO_AGENTS,
  engines: {},
  livePlan: undefined,
  isolationHome: undefined,
  isolation: NO_NEEDS,
  display: undefined,
  report: () => {},
  systemPrompt: async ({ agent }) => agent.instruction,
  contextFiles: async () => undefined,
  checkLaunch: async () => {},
  unreadable: async () => ({ paths: [], globs: [] }),
  expandInstruction: async (text) => ({ text, attachments: [] }),
  equip: () => {},
  onQuestion: undefined,
  withoutTimeout: false,
};

/** Throws for a launch that the project cannot serve. */
export async function requireLaunchable(project: Project, launch: LaunchRecord): Promise<void> {
  try {
    await project.checkLaunch(launch);
  } catch (cause) {
    if (!AmplifierError.is(cause)) throw cause;
    throw new DelegationError(cause.message, { code: 'INVALID_REQUEST', cause });
  }
}
