import {
  AbortError,
  type ChatRequest,
  type ChatResponse,
  type CompleteOptions,
  type ContentBlock,
  type Coordinator,
  isPlainObject,
  type JsonObject,
  type Message,
  type ModelInfo,
  type Provider,
  type ProviderInfo,
  type StreamDelta,
  shorten,
  type ToolCall,
  textOf,
} from '@amplifier/core';
import { OFFLINE_PRIORITY, OFFLINE_RESULT_CHARACTERS, OFFLINE_RESULT_LINES } from '../../defaults.js';
import { type Plan, planSteps, type Stage } from './plan-steps.js';

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

/** Ends every answer of the offline provider. */
const NOTICE =
  'The offline provider wrote this: no language model is at work, only fixed rules. Run `amplifier init` to get real answers.';

/** What the tools really returned, and nothing else, as Markdown for a person. */
function report(since: readonly Message[], { impossible }: Plan): string {
  const inputs = new Map(
    since.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call.arguments] as const)),
  );
  const parts = since
    .filter(({ role }) => role === 'tool')
    .map(({ name = 'tool', tool_call_id = '', content }) =>
      finding(name, inputs.get(tool_call_id) ?? {}, textOf(content)),
    );
  if (impossible.length > 0) parts.push(`No tool here can do this:\n${impossible.join('\n')}`);
  if (parts.length === 0)
    parts.push('The instruction asks for nothing these rules know, so nothing was done.');
  return [...parts, NOTICE].join('\n\n');
}

function finding(tool: string, input: JsonObject, text: string): string {
  const did = whatItDid(tool, input);
  const result = objectIn(text);
  if (Array.isArray(result?.files)) return `${did}: ${listed(result.files.map(String))}`;
  if (typeof result?.response === 'string')
    return `${did}:\n\n${quoted(result.response.replace(NOTICE, '').trim() || 'no answer')}`;
  const said = typeof result?.stdout === 'string' ? `${result.stdout}${result.stderr || ''}` : text;
  return said.trim() === '' ? `${did}: nothing` : `${did}:\n\n${fenced(said)}`;
}

/** A call in words: what it did, and what with. */
function whatItDid(tool: string, input: JsonObject): string {
  const said = (...names: string[]) => String(names.map((name) => input[name]).find((value) => value) ?? '');
  if (/^read/.test(tool)) return `Read \`${said('file_path', 'path')}\``;
  if (/^(glob|list)/.test(tool)) return `Looked for \`${said('pattern', 'path')}\``;
  if (/^(grep|search)/.test(tool)) return `Searched for \`${said('pattern', 'query')}\``;
  if (/^write/.test(tool)) return `Wrote \`${said('file_path', 'path')}\``;
  if (/^(bash|shell)$/.test(tool)) return `Ran \`${said('command')}\``;
  if (/^(delegate|task)$/.test(tool))
    return `**${said('agent', 'agent_name') || tool}** was asked to ${said('instruction', 'task', 'prompt')}`;
  return `Used ${tool}`;
}

function listed(files: readonly string[]): string {
  if (files.length === 0) return 'no match';
  const shown = files.slice(0, OFFLINE_RESULT_LINES).map((file) => `- ${file}`);
  const more = files.length - shown.length;
  const counted = files.length === 1 ? '1 file' : `${files.length} files`;
  return [counted, '', ...shown, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n');
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** A text without the line numbers that a tool adds. */
function fenced(text: string): string {
  const lines = text.trimEnd().replaceAll(/^ *\d+\t/gm, '');
  const cut = shorten(lines, OFFLINE_RESULT_CHARACTERS, '');
  const left = lines.length - cut.length;
  const fence = '`'.repeat(Math.max(3, ...[...cut.matchAll(/`{3,}/g)].map(([{ length }]) => length + 1)));
  return `${fence}\n${cut}\n${fence}${left > 0 ? `\n[… ${left} more characters …]` : ''}`;
}

function objectIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null; // Most tools speak plain text.
  }
}
