import type { CancellationToken, JsonObject } from '@amplifier/core';
import type { Attachment, Limits, RootRequest } from '@amplifier/delegation';
import type { ModelOptions } from '@amplifier/foundation';
import type { NetworkAccess, SafetyMode } from '@amplifier/workspace';

/** A session to start: what an entry point asks for, in the words of a person. */
export interface RunRequest extends ModelOptions {
  instruction: string;
  /** Put before the instruction as it is: a text of a model, in which nothing is looked for. */
  preface?: string | undefined;
  /** For an entry point that must know the id before the session runs. Default: a new one. */
  session_id?: string | undefined;
  agent?: string | undefined;
  safety_mode: SafetyMode;
  /** Has the user said that this folder may be acted on? */
  trusted: boolean;
  /** Did a caller or operator whose word counts say so for this session? Else external agents need the folder to be on the user's list. */
  trust_declared?: boolean | undefined;
  /** What of the session may reach the network. Default: the setting `network`, else commands only where the folder is trusted. */
  network?: NetworkAccess | undefined;
  /** Files that go along with the instruction. */
  attachments?: readonly Attachment[] | undefined;
  /** Skills whose text it is given from the start. */
  skills?: readonly string[] | undefined;
  limits?: Partial<Limits> | undefined;
  output_schema?: JsonObject | undefined;
  /** Say in the outcome what the turns changed in the folder. External agents do so in any case. */
  report_changes?: boolean | undefined;
  /** Let an external agent change the folder itself, and not a tree of its own that is brought back. For the first turn. */
  direct?: boolean | undefined;
  /** Goes into the record and travels on the session's events. */
  metadata?: JsonObject | undefined;
  /** Servers whose tools the session gets, the way editors name them. */
  mcp_servers?: readonly JsonObject[] | undefined;
  /** May another provider take over when the one that was named fails? Default: where none was named. */
  fallback?: boolean | undefined;
  /** May an external agent without the model continue with its own fallback model? Default: yes. */
  model_fallback?: boolean | undefined;
  cancellation?: CancellationToken | undefined;
  claim?: RootRequest['claim'];
  onCreated?: RootRequest['onCreated'] | undefined;
  onEvent?: RootRequest['onEvent'] | undefined;
}

/** Undefined where nothing was said of it: then the plan decides. */
export function failoverFor({
  provider,
  model,
  fallback,
}: ModelOptions & { fallback?: boolean | undefined }): boolean | undefined {
  return fallback ?? (provider !== undefined || model !== undefined ? false : undefined);
}
