import {
  AbortError,
  type ChatRequest,
  type ChatResponse,
  type CompleteOptions,
  type ContentBlock,
  type Coordinator,
  type JsonObject,
  type Message,
  type ModelInfo,
  type Provider,
  type ProviderInfo,
  type StreamDelta,
  type ToolCall,
  textOf,
} from '@amplifier/core';
import { OFFLINE_PRIORITY } from '../../defaults.js';
import { planSteps, type Stage } from './plan-steps.js';
import { report } from './report.js';

const MODEL = 'offline-rules';

/** Follows fixed rules instead of a model, so that everything around the model can be seen at work without one. */
export class OfflineProvider implements Provider {
  readonly name = 'offline';
  readonly defaultModel = MODEL;
  readonly priority: number;

  constructor(priority: number) {
    this.priority = priority;
  }

  async mostCost(): Promise<string> {
    return '0';
  }

  getInfo(): ProviderInfo {
    return {
      id: this.name,
      display_name: 'Offline rules (no language model)',
      credential_env_vars: [],
      capabilities: ['tools', 'streaming'],
      defaults: { model: MODEL },
      config_fields: [],
    };
  }

  modelInfo(model: string): ModelInfo {
    const limits = { context_window: 1_000_000, max_output_tokens: 32_000 };
    return { id: model, display_name: 'Offline rules', ...limits, capabilities: ['tools'], defaults: {} };
  }

  async listModels(): Promise<ModelInfo[]> {
    return [this.modelInfo(MODEL)];
  }

  async complete(request: ChatRequest, { signal, onDelta }: CompleteOptions = {}): Promise<ChatResponse> {
    if (signal?.aborted) throw new AbortError('The call was ended before it began.', { provider: this.name });
    const response = respond(request);
    if (onDelta) stream(response, onDelta);
    return response;
  }
}

/** The answer is a function of the request alone. */
function respond(request: ChatRequest): ChatResponse {
  const at = request.messages.findLastIndex((message) => message.role === 'user');
  const since = request.messages.slice(at + 1);
  const plan = planSteps(instructionOf(request.messages[at]), request.tools ?? []);
  const done = since.filter((message) => message.tool_calls?.length).length;
  const stage = request.tool_choice === 'none' ? undefined : plan.stages[done];
  if (stage) return answer(`Step ${done + 1} of ${plan.stages.length}, by fixed rules.`, stage, at + done);
  return answer(report(since, plan), [], at + done);
}

/** Of an instruction that quotes a parent's conversation only the task itself counts. */
function instructionOf(message: Message | undefined): string {
  const text = message ? textOf(message.content) : '';
  const task = text.lastIndexOf('[YOUR TASK]');
  return task === -1 ? text : text.slice(task + '[YOUR TASK]'.length);
}

function answer(text: string, stage: Stage, serial: number): ChatResponse {
  const tool_calls: ToolCall[] = stage.map((call, index) => ({
    id: `offline_${serial}_${index + 1}`,
    ...call,
  }));
  const content: ContentBlock[] = [
    { type: 'text', text },
    ...tool_calls.map(
      ({ id, name, arguments: input }): ContentBlock => ({ type: 'tool_call', id, name, input }),
    ),
  ];
  return {
    content,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: '0' },
    finish_reason: tool_calls.length > 0 ? 'tool_calls' : 'stop',
    model: MODEL,
  };
}

function stream({ content }: ChatResponse, onDelta: (delta: StreamDelta) => void): void {
  content.forEach((block, index) => {
    if (block.type === 'text') {
      for (const text of block.text.match(/\S+\s*|\s+/g) ?? []) onDelta({ type: 'text', index, text });
    } else if (block.type === 'tool_call') {
      onDelta({ type: 'tool_call_start', index, id: block.id, name: block.name });
      onDelta({ type: 'tool_call_arguments', index, text: JSON.stringify(block.input) });
    }
  });
}

export function mount(coordinator: Coordinator, { priority }: JsonObject): void {
  const rank = typeof priority === 'number' ? priority : OFFLINE_PRIORITY;
  coordinator.mounts.mount('providers', new OfflineProvider(rank), 'offline');
}
