import { SafetyMode, type Sandbox } from '@amplifier/workspace';
import { z } from 'zod';

/** How hard an agent is to think, from least to most. */
export const Effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);
export type Effort = z.infer<typeof Effort>;

const text = z.string().min(1);
const variables = z.record(z.string(), z.string());

/** How the agent is told which model to use. Without one: by whatever the session offers. */
const ModelChannel = z.discriminatedUnion('channel', [
  z.object({ channel: z.literal('flag'), flag: text }),
  z.object({ channel: z.literal('env'), name: text }),
]);

/** How the agent is told how hard to think. Without one: by a session option, where there is one. */
const EffortChannel = z.discriminatedUnion('channel', [
  z.object({ channel: z.literal('flag'), flag: text }),
  z.object({ channel: z.literal('env'), name: text }),
  /** `{model}` and `{effort}` are filled in. */
  z.object({ channel: z.literal('model'), form: text, most: Effort }),
]);

/** What an agent does to its own habits to honour a safety mode. A help, never the guarantee. */
const Lever = z.object({
  /** A mode of the session to choose. */
  mode: text.optional(),
  env: variables.optional(),
});

export type Lever = z.infer<typeof Lever>;

/** One external agent: how to start it, and where it differs from others. All of it is data. */
export const AgentDescriptor = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'use letters, digits, "_" and "-"'),
  display_name: text,
  command: z.tuple([text], text),
  provider: text.nullable().default(null),
  default_model: text.nullable().default(null),
  fallback_model: text.nullable().default(null),
  default_effort: Effort.nullable().default(null),
  handshake_ms: z.number().positive().optional(),
  /** Seconds for a whole turn; the tighter of this and the delegation's own counts. */
  timeout: z.number().positive().nullable().default(null),
  /** Set for the agent, over what it inherits. */
  env: variables.default({}),
  /** Variables it needs, by name; `*` at the end stands for anything. */
  env_passthrough: z.array(text).default([]),
  /**
   * Where it keeps its settings, logins and sessions: `home:`, `config:`, `data:`, `cache:` or `state:` and a path below, or `env:`
   * and the variable that names another place.
   */
  state_paths: z.array(z.string().regex(/^(home|config|data|cache|state|env):.+/)).default([]),
  /** Folders it must see although they lie in a temporary folder. */
  visible: z.array(text).default([]),
  model_channel: ModelChannel.nullable().default(null),
  effort_channel: EffortChannel.nullable().default(null),
  levers: z.partialRecord(SafetyMode, Lever).default({}),
  /** Instead of them where our own sandbox holds the agent, for one whose own sandbox cannot start inside ours. */
  confined_lever: Lever.nullable().default(null),
  /** May it read files through us? One agent takes our word that a file is missing for a failure. */
  client_reads: z.boolean().default(true),
  /** An answer that fits one of these is an error of its provider. */
  error_answers: z.array(text).default([]),
  /** What the tokens it tells with an answer are of: the whole prompt, or its last model call alone. */
  usage_covers: z.enum(['turn', 'last_call']).default('turn'),
  /** The program it wraps, which must be there too. */
  underlying: text.nullable().default(null),
  install: text.nullable().default(null),
  login: text.nullable().default(null),
});
export type AgentDescriptor = z.infer<typeof AgentDescriptor>;
/** What to set for a mode on this machine. */
export function leverFor(
  { levers, confined_lever }: Pick<AgentDescriptor, 'levers' | 'confined_lever'>,
  mode: SafetyMode,
  { guarantees }: Pick<Sandbox, 'guarantees'>,
): Lever {
  return (guarantees.writes_confined ? confined_lever : null) ?? levers[mode] ?? {};
}

export type AgentEntry = z.input<typeof AgentDescriptor>;
