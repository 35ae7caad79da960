import type { JsonObject } from '../../data/json.js';
import type { CancellationToken } from '../cancellation.js';
import type { Coordinator } from '../coordinator.js';
import type { ToolResult } from '../tool-result.js';

/** What a tool is told about the call it serves. */
export interface ToolContext {
  readonly tool_call_id: string;
  /** Shared by all calls of one assistant message; null when called from outside a turn. */
  readonly parallel_group_id: string | null;
  readonly session: { readonly id: string; readonly parent_id: string | null };
  readonly cancellation: CancellationToken;
  /** Aborts when the call must end now. */
  readonly signal: AbortSignal;
  /** The session's capabilities, hooks and mounts. */
  readonly coordinator: Coordinator;
}

/** Something a model may do. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. May be a getter: it is read for each request. */
  readonly inputSchema: JsonObject;
  /** Members that the tool knows and a closed schema does not offer, such as those of a feature that is off. */
  readonly alsoTakes?: readonly string[];
  /** Must answer failures as a failed result; may throw only on misuse. Should end soon after `context.signal` aborts. */
  execute(input: JsonObject, context: ToolContext): Promise<ToolResult>;
}
