import {
  type ChatResponse,
  type JsonObject,
  KernelError,
  Memo,
  type Message,
  NO_USAGE,
  type Provider,
  type TurnRuntime,
  type Usage,
} from '@amplifier/core';
import { z } from 'zod';
import { CANCEL_GRACE_SECONDS, MAX_ITERATIONS, MAX_TOOL_CALLS, MOST_TOOL_CALLS } from '../defaults.js';

const LoopConfig = z.looseObject({
  /** Model calls of one turn; zero or less means no limit. At the limit one more call asks for a conclusion. */
  max_iterations: z.coerce.number().int().default(MAX_ITERATIONS),
  /** Tool calls of one answer that are run. The others get an error result, so that the model can make them in its next answer. */
  max_tool_calls: z.coerce.number().int().min(1).max(MOST_TOOL_CALLS).default(MAX_TOOL_CALLS),
  /** Continue with any other provider when one fails. Without it, only the candidates of the session take over. */
  failover: z.boolean().default(true),
  cancel_grace: z.coerce.number().nonnegative().default(CANCEL_GRACE_SECONDS),
  model: z.string().optional(),
  temperature: z.number().optional(),
  max_output_tokens: z.number().int().positive().optional(),
  reasoning_effort: z.string().optional(),
});
export type LoopConfig = z.infer<typeof LoopConfig>;

/** Most sessions have the same: `npm run bench -- delegation` shows it. */
const READ = new Memo<LoopConfig>();

export function readLoopConfig(config: JsonObject, moduleId: string): LoopConfig {
  return READ.get(JSON.stringify(config), () => parseLoopConfig(config, moduleId));
}

function parseLoopConfig(config: JsonObject, moduleId: string): LoopConfig {
  const parsed = LoopConfig.safeParse(config);
  if (parsed.success) return parsed.data;
  throw new KernelError(`The config of ${moduleId} cannot be read: ${z.prettifyError(parsed.error)}`, {
    code: 'MODULE_MOUNT_FAILED',
    origin: moduleId,
  });
}

/** A provider that can be asked. */
export interface Candidate {
  /** The name it is mounted under. */
  mounted_as: string;
  provider: Provider;
  /** As events name it. */
  name: { provider: string; model: string };
}

/** Text that goes with the next request only. */
export interface Injection {
  role: 'system' | 'user' | 'assistant';
  content: string;
  append_to_last_tool_result: boolean;
}

/** What one turn knows of itself while it runs. */
export interface Turn {
  readonly runtime: TurnRuntime;
  readonly config: LoopConfig;
  readonly streaming: boolean;
  /** Model calls so far. */
  iterations: number;
  /** The last thing the model said. */
  response: string;
  /** What the running model call has streamed so far. */
  partial: string;
  /** Has the running model call shown anything to anybody? */
  shown: boolean;
  /** The messages of the last request. */
  sent: readonly Message[];
  usage: Usage;
  /** The model that answered. The turn stays with it. */
  candidate: Candidate | null;
  model: string | null;
  injections: Injection[];
  /** Ids of all tool calls in the history: a result is found by its call's id, also in the session's log. */
  readonly call_ids: Set<string>;
}

type TurnReason = 'max_iterations' | 'empty_response' | 'content_filter' | 'length' | 'cancelled' | 'error';

export interface TurnEnd {
  response: string;
  status: 'success' | 'incomplete' | 'cancelled';
  reason: TurnReason | null;
}

export function newTurn(runtime: TurnRuntime, config: LoopConfig, streaming: boolean): Turn {
  return {
    runtime,
    config,
    streaming,
    iterations: 0,
    response: '',
    partial: '',
    shown: false,
    sent: [],
    usage: NO_USAGE,
    candidate: null,
    model: null,
    injections: [],
    call_ids: new Set(),
  };
}

/** An answer as the history keeps it. */
export function answerMessage(
  { content, tool_calls = [] }: ChatResponse,
  metadata?: Message['metadata'],
): Message {
  const message: Message = { role: 'assistant', content };
  if (tool_calls.length > 0)
    message.tool_calls = tool_calls.map(({ id, name, arguments: input }) => ({
      id,
      tool: name,
      arguments: input,
    }));
  if (metadata) message.metadata = metadata;
  return message;
}
