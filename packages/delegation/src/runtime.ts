import { type Clock, errorInfo, type ModuleLoader } from '@amplifier/core';
import type { RunQueue, SessionLogs, SessionStore } from '@amplifier/sessions';
import type { Engine } from './engine/engine.js';
import type { Project } from './project.js';
import type { LiveSessions } from './turn/live-sessions.js';

/** What the functions of this package work with: a record, a project, and what runs in this process. */
export interface Runtime {
  readonly store: SessionStore;
  /** Gives out the right to write sessions. The store itself, unless the host shares open logs among its users. */
  readonly logs: SessionLogs;
  readonly loader: ModuleLoader;
  readonly clock: Clock;
  readonly project: Project;
  /** Where background children wait. Null: there are none. */
  readonly queue: RunQueue | null;
  /** Starts a worker for the queue, unless one runs. */
  readonly wakeWorker: () => void;
  /** By the word before the colon of an engine id. */
  readonly engines: Readonly<Record<string, Engine>>;
  readonly live: LiveSessions;
}

export function reportError({ project }: Runtime, code: string, error: unknown): void {
  project.report({ level: 'error', code, message: errorInfo(error).message, error });
}
