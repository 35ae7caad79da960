import {
  AbortError,
  type AmplifierModule,
  type ChatRequest,
  type ChatResponse,
  type Clock,
  type CompleteOptions,
  type ContentBlock,
  type ModelInfo,
  type Provider,
  type ProviderInfo,
  sleep,
  systemClock,
  type ToolCall,
  type Usage,
} from '@amplifier/core';

/** One answer of the scripted model. Members combine: it may think, speak and call tools in one turn. */
export interface ScriptedTurn {
  text?: string;
  thinking?: string;
  /** Ids are made up in order (`call_1`, `call_2`, …) where none is given. */
  tool_calls?: { id?: string; name: string; arguments?: Record<string, unknown> }[];
  usage?: Partial<Usage>;
  finish_reason?: ChatResponse['finish_reason'];
  /** Reject with this instead of answering. */
  error?: Error;
  /** Wait this long first, on the provider's clock. */
  delay_ms?: number;
  /** Never answer. Only an abort ends the call. */
  hang?: boolean;
}

/** Turns in order, or a function of the request for a model that reacts. */
export type Script = ScriptedTurn[] | ((request: ChatRequest, call: number) => ScriptedTurn);

export interface ScriptedProviderOptions {
  name?: string;
  priority?: number;
  model?: string;
  models?: Partial<ModelInfo>[];
  clock?: Clock;
}

/** A model that says what the test wrote for it, and remembers what it was asked. */
export class ScriptedProvider implements Provider {
  readonly name: string;
  readonly priority: number;
  readonly defaultModel: string;
  readonly requests: ChatRequest[] = [];
  #script: Script;
  #clock: Clock;
  #models: Partial<ModelInfo>[];
  #toolCalls = 0;

  constructor(script: Script, options: ScriptedProviderOptions = {}) {
    this.#script = script;
    this.name = options.name ?? 'scripted';
    this.priority = options.priority ?? 100;
    this.defaultModel = options.model ?? 'scripted-1';
    this.#models = options.models ?? [{ id: this.defaultModel }];
    this.#clock = options.clock ?? systemClock;
  }

  getInfo(): ProviderInfo {
    return {
      id: this.name,
      display_name: 'Scripted model',
      credential_env_vars: [],
      capabilities: ['tools', 'streaming', 'thinking'],
      defaults: { model: this.defaultModel },
      config_fields: [],
    };
  }

  async listModels(): Promise<ModelInfo[]> {
    return this.#models.map((model) => ({
      id: this.defaultModel,
      display_name: model.id ?? this.defaultModel,
      context_window: 200_000,
      max_output_tokens: 8_192,
      capabilities: ['tools'],
      defaults: {},
      ...model,
    }));
  }

  async complete(request: ChatRequest, { signal, onDelta }: CompleteOptions = {}): Promise<ChatResponse> {
    const turn = this.#nextTurn(request);
    if (signal?.aborted) throw aborted(this.name);
    if (turn.hang) await untilAborted(signal, this.name);
    if (turn.delay_ms !== undefined) await this.#delay(turn.delay_ms, signal);
    if (turn.error) throw turn.error;
    const response = this.#respond(turn, request);
    if (onDelta) streamResponse(response, onDelta);
    return response;
  }

  #nextTurn(request: ChatRequest): ScriptedTurn {
    const call = this.requests.push(structuredClone(request)) - 1;
    if (typeof this.#script === 'function') return this.#script(request, call);
    const turn = this.#script[call];
    if (turn) return turn;
    throw new Error(
      `The script of '${this.name}' has ${this.#script.length} turns and was asked for number ${call + 1}.`,
    );
  }

  async #delay(ms: number, signal?: AbortSignal): Promise<void> {
    try {
      await sleep(this.#clock, ms, signal);
    } catch {
      throw aborted(this.name);
    }
  }

  #respond(turn: ScriptedTurn, request: ChatRequest): ChatResponse {
    const calls: ToolCall[] = (turn.tool_calls ?? []).map(({ id, name, arguments: input = {} }) => ({
      id: id ?? `call_${++this.#toolCalls}`,
      name,
      arguments: input,
    }));
    const content: ContentBlock[] = [];
    if (turn.thinking !== undefined) content.push({ type: 'thinking', thinking: turn.thinking });
    if (turn.text !== undefined) content.push({ type: 'text', text: turn.text });
    for (const call of calls)
      content.push({ type: 'tool_call', id: call.id, name: call.name, input: call.arguments });
    return {
      content,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      usage: completeUsage(turn.usage),
      finish_reason: turn.finish_reason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
      model: request.model ?? this.defaultModel,
    };
  }
}

/** The provider as a module, for a loader's registry. The same instance is mounted each time. */
export function scriptedProviderModule(provider: Provider): AmplifierModule {
  return { mount: (coordinator) => coordinator.mounts.mount('providers', provider) };
}

function completeUsage(usage: Partial<Usage> = {}): Usage {
  const { input_tokens = 10, output_tokens = 5 } = usage;
  return {
    total_tokens: input_tokens + output_tokens,
    cost_usd: null,
    ...usage,
    input_tokens,
    output_tokens,
  };
}

function streamResponse(response: ChatResponse, onDelta: NonNullable<CompleteOptions['onDelta']>): void {
  response.content.forEach((block, index) => {
    if (block.type === 'thinking') onDelta({ type: 'thinking', index, text: block.thinking });
    if (block.type === 'text')
      for (const text of block.text.match(/\S+\s*/g) ?? []) onDelta({ type: 'text', index, text });
    if (block.type === 'tool_call') {
      onDelta({ type: 'tool_call_start', index, id: block.id, name: block.name });
      onDelta({ type: 'tool_call_arguments', index, text: JSON.stringify(block.input) });
    }
  });
}

function untilAborted(signal: AbortSignal | undefined, provider: string): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(aborted(provider)), { once: true });
  });
}

function aborted(provider: string): AbortError {
  return new AbortError('The call was ended before the model answered.', { provider });
}
