import {
  AbortError,
  AuthenticationError,
  type ChatRequest,
  type ChatResponse,
  type CompleteOptions,
  StreamError,
} from '@amplifier/core';
import { ScriptedProvider } from '@amplifier/testkit';
import { FULL_GRANT } from '@amplifier/workspace';
import fc from 'fast-check';
import { delegationBench } from './delegation-bench.js';

/** What one model call does. `again`: it breaks off, and the provider tries once more by itself. */
const Act = fc.constantFrom(
  'answer',
  'answer',
  'answer',
  'answer',
  'answer in full',
  'say no usage',
  'refuse',
  'break off',
  'throw',
  'again',
);
const Money = fc.option(fc.integer({ min: 0, max: 4_000 }).map((mills) => (mills / 1_000).toFixed(3)));

/** What becomes of looking a price up. */
export type Lookup = 'known' | 'null' | 'throw' | 'reject' | 'hang';

const LOOKUPS: Lookup[] = ['known', 'known', 'known', 'known', 'null', 'throw', 'reject', 'hang'];

export const BudgetTrial = fc.record({
  max_tokens: fc.option(fc.integer({ min: 0, max: 30_000 })),
  max_cost_usd: Money,
  spend: Money,
  allow_unpriced: fc.boolean(),
  /** Thousandths of a dollar for a token. */
  price: fc.double({ min: 0, max: 0.2, noNaN: true }),
  /** What becomes of each look-up of a price; all that follow are like the last. */
  lookups: fc.oneof(
    fc.constant<Lookup[]>(['known']),
    fc.array(fc.constantFrom(...LOOKUPS), { minLength: 1, maxLength: 12 }),
  ),
  acts: fc.array(Act, { minLength: 1, maxLength: 5 }),
  children: fc.integer({ min: 0, max: 3 }),
});
type BudgetTrial = typeof BudgetTrial extends fc.Arbitrary<infer Trial> ? Trial : never;

/** Runs one tree of sessions after the other, and tells everything its model calls did that they may not. */
export async function openBudgetTrials() {
  let model: CountingModel;
  const bench = await delegationBench({
    memory: true,
    modules: { 'provider-scripted': { mount: ({ mounts }) => mounts.mount('providers', model) } },
  });
  return {
    async run(trial: BudgetTrial): Promise<{ calls: number; faults: string[]; status: string }> {
      model = new CountingModel(trial);
      const { max_tokens, max_cost_usd, spend, allow_unpriced } = trial;
      const { outcome } = await bench.root('Go.', {
        grant: { ...FULL_GRANT, spend },
        limits: { max_tokens, max_cost_usd, allow_unpriced },
      });
      return { calls: model.calls, faults: model.faults, status: outcome.status };
    },
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

/** A call that is under way, with the most it can use. */
interface Attempt {
  input: number;
  most: number;
}

/** Uses no more than a call lets it, and looks at every call whether that was set aside for it. */
class CountingModel extends ScriptedProvider {
  readonly faults: string[] = [];
  calls = 0;
  readonly #trial: BudgetTrial;
  /** Outputs that a price was told for, each good for one call. */
  readonly #quotes: number[] = [];
  readonly #open = new Set<Attempt>();
  #lookups = 0;
  #used = 0;

  constructor(trial: BudgetTrial) {
    const child = { name: 'delegate', arguments: { agent: 'explorer', instruction: 'Look.' } };
    super((_, call) => {
      if (call === 0) return { text: 'I delegate.', tool_calls: Array(trial.children).fill(child) };
      return { text: 'More.', tool_calls: call < 8 ? [{ name: 'echo' }] : [] };
    });
    this.#trial = trial;
  }

  mostCost(_model: string, { input, output }: { input: number; output: number }): Promise<string | null> {
    const { lookups } = this.#trial;
    const end = lookups[Math.min(this.#lookups++, lookups.length - 1)];
    if (end === 'throw') throw new Error('The prices are gone.');
    if (end === 'reject') return Promise.reject(new Error('The prices are gone.'));
    if (end === 'hang') return new Promise(() => {});
    if (end === 'null') return Promise.resolve(null);
    this.#quotes.push(output);
    return Promise.resolve(this.#dollars(input + output).toFixed(9));
  }

  override async complete(request: ChatRequest, options: CompleteOptions = {}): Promise<ChatResponse> {
    const act = this.#trial.acts[Math.min(this.calls, this.#trial.acts.length - 1)];
    const output = request.max_output_tokens ?? 0;
    const attempt = this.#begin(request);
    await new Promise((resolve) => setImmediate(resolve));
    if (act === 'refuse') {
      this.#end(attempt, 0);
      throw new AuthenticationError('No.');
    }
    if (act === 'throw') {
      this.#end(attempt, attempt.input);
      throw new Error('A fault of the provider.');
    }
    if (act === 'break off' || act === 'again') {
      options.onDelta?.({ type: 'text', index: 0, text: 'Half' });
      this.#end(attempt, attempt.input + (options.onDelta ? 1 : 0));
      const broken = new StreamError('It broke off.');
      if (act === 'break off') throw broken;
      options.onRetry?.(1, 0, broken);
      if (options.signal?.aborted) throw new AbortError('Nothing is left.');
      this.#quotes.push(output);
      this.#end(this.#begin(request), attempt.input);
    } else this.#end(attempt, act === 'answer' ? attempt.input : attempt.most);
    const { usage: _, ...response } = await super.complete(request);
    if (act === 'say no usage') return response;
    const output_tokens = act === 'answer in full' ? output : 0;
    const total_tokens = attempt.input + output_tokens;
    return {
      ...response,
      usage: { input_tokens: attempt.input, output_tokens, total_tokens, cost_usd: null },
    };
  }

  #begin({ messages, tools = [], max_output_tokens = 0 }: ChatRequest): Attempt {
    this.calls++;
    const input = Math.floor(JSON.stringify([messages, tools]).length / 4);
    const attempt = { input, most: input + max_output_tokens };
    this.#open.add(attempt);
    const { max_tokens, max_cost_usd, spend, allow_unpriced } = this.#trial;
    const most = [...this.#open].reduce((sum, each) => sum + each.most, this.#used);
    if (max_tokens !== null && most > max_tokens) this.faults.push(`${most} of ${max_tokens} tokens`);
    const caps = [max_cost_usd, spend].flatMap((cap) => (cap === null ? [] : [Number(cap)]));
    if (caps.length === 0 || allow_unpriced) return attempt;
    const cap = Math.min(...caps);
    if (this.#dollars(most) > cap + 1e-6) this.faults.push(`$${this.#dollars(most)} of $${cap}`);
    const quote = this.#quotes.indexOf(max_output_tokens);
    if (quote < 0) this.faults.push('a call that nobody had a price for');
    else this.#quotes.splice(quote, 1);
    return attempt;
  }

  #end(attempt: Attempt, used: number): void {
    this.#open.delete(attempt);
    this.#used += used;
  }

  #dollars(tokens: number): number {
    return (tokens * this.#trial.price) / 1_000;
  }
}
