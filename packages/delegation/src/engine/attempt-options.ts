import type { Clock, Coordinator, DisplaySystem, ModuleLoader, Report } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import type { LaunchRecord } from '../launch-record.js';
import type { Parent } from '../parent.js';
import type { Question, Questions } from './questions.js';

export interface AttemptOptions {
  store: SessionStore;
  loader: ModuleLoader;
  clock: Clock;
  display?: DisplaySystem;
  report?: Report;
  /** The system prompt of a session. Default: the agent's instruction as it is. */
  systemPrompt?: (launch: LaunchRecord) => Promise<string | null>;
  /** Told of each question. Without it nobody is there to answer, and every question is a no. */
  onQuestion?: (question: Question) => void;
  /** Approvals wait until they are answered. */
  withoutTimeout?: boolean;
}

/** Puts what the app and the Delegator offer on a session, before its modules mount. */
export interface Equipment {
  equip(coordinator: Coordinator, parent: Parent, questions: Questions): void;
}
