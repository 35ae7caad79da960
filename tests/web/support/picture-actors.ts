import type { NewMessage, SessionLog, SqlSessionStore } from '@amplifier/sessions';
import type { VirtualClock } from '@amplifier/testkit';

export const text = (words: string) => ({ type: 'text' as const, text: words });
export const call = (id: string, name: string, input: Record<string, unknown>) => ({
  type: 'tool_call' as const,
  id,
  name,
  input,
});

type Content = NewMessage['content'];
type New = Parameters<SqlSessionStore['create']>[0];

/** One session of a made-up record, who does what a real one would write down. */
export class Actor {
  constructor(
    readonly log: SessionLog,
    readonly model: string,
  ) {}

  static async begin(
    store: SqlSessionStore,
    about: New & { session_id: string },
    instruction: string,
    { model = 'claude-sonnet-4-5', launch }: { model?: string; launch?: object } = {},
  ): Promise<Actor> {
    const log = await store.create(about, {
      ...(launch ? { documents: { launch: launch as never } } : {}),
      messages: [{ role: 'user', content: instruction, metadata: { kind: 'instruction' } }],
    });
    await log.transition('active');
    return new Actor(log, model);
  }

  /** The model answers. What it calls begins at once. */
  async says(content: Content, cost: string, tokens: number): Promise<void> {
    const output_tokens = Math.round(tokens * 0.08);
    const usage = {
      input_tokens: tokens - output_tokens,
      output_tokens,
      total_tokens: tokens,
      cost_usd: cost,
    };
    await this.log.appendEvents([
      { name: 'llm:response', data: { provider: 'anthropic', model: this.model, usage } },
    ]);
    await this.log.appendMessages([{ role: 'assistant', content }]);
    for (const block of Array.isArray(content) ? content : [])
      if (block.type === 'tool_call')
        await this.log.appendEvents([
          { name: 'tool:pre', data: { tool_name: String(block.name), tool_call_id: String(block.id) } },
        ]);
  }

  /** A tool gives back what it has. */
  async gets(tool_call_id: string, output: unknown, success = true): Promise<void> {
    await this.log.appendEvents([{ name: 'tool:post', data: { tool_name: 'tool', tool_call_id, success } }]);
    const content = typeof output === 'string' ? output : JSON.stringify(output);
    await this.log.appendMessages([{ role: 'tool', tool_call_id, content }]);
  }

  async asks(
    id: string,
    tool_call_id: string,
    agent: string,
    prompt: string,
    options: string[],
  ): Promise<void> {
    const data = { id, kind: 'approval', prompt, options, agent, timeout: null, tool_call_id };
    await this.log.appendEvents([{ name: 'question:asked', data }]);
  }

  async ends(status: 'completed' | 'failed' = 'completed', message = ''): Promise<void> {
    const outcome = { status: status === 'failed' ? 'limit' : status, text: '' };
    const error = status === 'failed' ? { code: 'LIMIT', message } : null;
    await this.log.transition(status, { error, patch: { extra: { outcome, turn: 1, outcome_turn: 1 } } });
    await this.log[Symbol.asyncDispose]();
  }
}

type Step = [second: number, act: () => Promise<unknown>];

/** Plays steps at their seconds; the last of them is `until`. */
export async function play(clock: VirtualClock, until: number, steps: Step[]): Promise<void> {
  const inOrder = [...steps].sort(([a], [b]) => a - b);
  const last = inOrder.at(-1)?.[0] ?? 0;
  for (const [second, act] of inOrder) {
    await clock.advance(Math.max(0, until - (last - second) * 1_000 - clock.now()));
    await act();
  }
}
