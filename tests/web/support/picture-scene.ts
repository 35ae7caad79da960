import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type NewMessage, openSessionStore, type SqlSessionStore } from '@amplifier/sessions';
import { VirtualClock } from '@amplifier/testkit';

type Reply = [seconds: number, messages: NewMessage[], cost?: string, tokens?: number];

const text = (words: string) => ({ type: 'text' as const, text: words });
const call = (id: string, name: string, input: Record<string, unknown>) => ({
  type: 'tool_call' as const,
  id,
  name,
  input,
});
const result = (tool_call_id: string, output: unknown): NewMessage => ({
  role: 'tool',
  tool_call_id,
  content: typeof output === 'string' ? output : JSON.stringify(output),
});

const PLAN = `I looked at how prices travel through the shop. Two places round on their own:

| file | what it does |
| --- | --- |
| \`src/price.ts\` | rounds each line to whole cents |
| \`src/invoice.ts\` | rounds the sum **again** |

So three items of 0.335 become 1.02 on the invoice and 1.01 in the cart. I hand the change and a review to two agents.`;

const DONE = `Both agents are done. Rounding happens once now, at the end:

\`\`\`ts
export const total = (items: Item[]) =>
  round(items.reduce((sum, item) => sum + item.price * item.count, 0));
\`\`\`

All 48 tests pass. The reviewer found one more place, \`src/refund.ts:31\`; its patch waits for you. Background: [Bankers' rounding](https://en.wikipedia.org/wiki/Rounding).`;

/** What the root was launched with, as far as the facts show it. */
const LAUNCH = {
  version: 1,
  session_id: 'shop-rounding',
  parent_id: null,
  root_id: 'shop-rounding',
  depth: 0,
  agent: { name: 'amplifier', origin: 'bundle', digest: '', instruction: 'You do what you are told.' },
  engine: 'in_process',
  model: {
    candidates: [
      { provider: 'anthropic', model: 'claude-opus-4-5', because: 'the role coding' },
      { provider: 'openai', model: 'gpt-5.2', because: 'the role general' },
    ],
    chosen: { provider: 'anthropic', model: 'claude-opus-4-5' },
    because: 'The first candidate of the role coding that has a key.',
  },
  context: { depth: 'none', passed: [], dropped: [], tokens: 0 },
  grant: {
    version: 1,
    read: { allow: ['/home/ada/shop'], deny: [] },
    write: { allow: ['/home/ada/shop/src', '/home/ada/shop/tests'], deny: [] },
    exec: 'confined',
    network: false,
    delegate: true,
    spend: null,
  },
  limits: {
    max_depth: 3,
    max_children: 64,
    max_turns: 100,
    max_tokens: 200_000,
    max_cost_usd: '1.00',
    timeout: 1_800,
  },
  safety_mode: 'write',
  workspace: { cwd: '/home/ada/shop', trusted: true, isolation: 'none' },
  instruction: 'Fix it.',
  plan: { tools: [{ module: 'tool-filesystem' }, { module: 'tool-bash' }, { module: 'tool-delegate' }] },
};

/** A home with a day's work in it, for pictures: made in the record, with times and prices of its own. */
export async function seedPictureRecord(home: string, until: number): Promise<void> {
  await mkdir(join(home, 'state'), { recursive: true });
  const clock = new VirtualClock(until - 26 * 60_000);
  await using store = await openSessionStore(join(home, 'state/record.db'), { clock, project: 'shop' });
  const session = new Scene(store, clock);
  await session.earlier();
  await session.shop();
}

class Scene {
  constructor(
    readonly store: SqlSessionStore,
    readonly clock: VirtualClock,
  ) {}

  async play(
    session_id: string,
    about: {
      name?: string;
      agent_name?: string;
      parent_id?: string;
      root_id?: string;
      depth?: number;
      tool_call_id?: string;
    },
    instruction: string,
    replies: Reply[],
    end: 'completed' | 'failed' | 'active' = 'completed',
  ): Promise<void> {
    await using log = await this.store.create(
      { session_id, ...about },
      { messages: [{ role: 'user', content: instruction, metadata: { kind: 'instruction' } }] },
    );
    await log.transition('active');
    for (const [seconds, messages, cost = '0.0421', tokens = 5_200] of replies) {
      await this.pass(seconds * 1_000);
      const usage = {
        input_tokens: Math.round(tokens * 0.9),
        output_tokens: Math.round(tokens * 0.1),
        total_tokens: tokens,
        cost_usd: cost,
      };
      await log.appendEvents([
        { name: 'llm:response', data: { provider: 'anthropic', model: 'claude-sonnet-4-5', usage } },
      ]);
      const [said, ...results] = messages;
      if (said) await log.appendMessages([said]);
      const calls = Array.isArray(said?.content)
        ? said.content.filter((block) => block.type === 'tool_call')
        : [];
      for (const block of calls)
        await log.appendEvents([
          { name: 'tool:pre', data: { tool_name: String(block.name), tool_call_id: String(block.id) } },
        ]);
      for (const each of results) {
        await this.pass(2_000);
        await log.appendEvents([
          {
            name: 'tool:post',
            data: { tool_name: 'tool', tool_call_id: each.tool_call_id ?? '', success: true },
          },
        ]);
        await log.appendMessages([each]);
      }
    }
    if (end === 'active') return;
    await this.pass(800);
    const error =
      end === 'failed' ? { code: 'LIMIT', message: 'It reached its limit of 20 model calls.' } : null;
    const outcome = { status: end === 'failed' ? 'limit' : 'completed', text: '' };
    await log.transition(end, { error, patch: { extra: { outcome, turn: 1, outcome_turn: 1 } } });
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  async earlier(): Promise<void> {
    const titles = [
      'Explain how refunds work',
      'Find slow queries in the report',
      'Update the changelog for 2.4',
    ];
    for (const [at, name] of titles.entries())
      await this.play(`earlier-${at}`, { name }, name, [
        [9, [{ role: 'assistant', content: 'Done.' }], `0.${at + 1}8`, 21_000 * (at + 1)],
      ]);
    await this.play(
      'earlier-failed',
      { name: 'Migrate the tests to the new runner' },
      'Migrate the tests.',
      [[30, [{ role: 'assistant', content: 'I begin.' }], '0.91', 120_000]],
      'failed',
    );
  }

  async shop(): Promise<void> {
    const root = 'shop-rounding';
    const child = (agent: string, at: string) => ({
      agent_name: agent,
      parent_id: root,
      root_id: root,
      depth: 1,
      tool_call_id: at,
    });
    const start = this.clock.now();
    await using log = await this.store.create(
      { session_id: root, name: 'Round prices once' },
      {
        documents: { launch: LAUNCH },
        messages: [
          {
            role: 'user',
            content:
              'Customers see 1.02 on the invoice and 1.01 in the cart. Find out why and fix it, with a test.',
            metadata: { kind: 'instruction' },
          },
        ],
      },
    );
    await log.transition('active');
    const said = async (seconds: number, messages: NewMessage[], cost: string, tokens: number) => {
      await this.pass(seconds * 1_000);
      await log.appendEvents([
        {
          name: 'llm:response',
          data: {
            provider: 'anthropic',
            model: 'claude-opus-4-5',
            usage: { input_tokens: tokens, output_tokens: 400, total_tokens: tokens + 400, cost_usd: cost },
          },
        },
      ]);
      await log.appendMessages(messages);
    };
    await said(
      7,
      [
        {
          role: 'assistant',
          content: [
            {
              type: 'thinking',
              thinking:
                'The sums differ by a cent.\nSo something rounds twice.\nLook for every use of round().',
            },
            text('I begin with where prices are rounded.'),
            call('s1', 'grep', { pattern: 'round\\(', path: 'src' }),
            call('s2', 'bash', { command: 'npm test -- price' }),
          ],
        },
      ],
      '0.0312',
      3_100,
    );
    for (const [tool, id] of [
      ['grep', 's1'],
      ['bash', 's2'],
    ] as const) {
      await log.appendEvents([{ name: 'tool:pre', data: { tool_name: tool, tool_call_id: id } }]);
      await this.pass(1_900);
      await log.appendEvents([
        { name: 'tool:post', data: { tool_name: tool, tool_call_id: id, success: true } },
      ]);
    }
    await log.appendMessages([
      result('s1', 'src/price.ts:12: return round(price * count)\nsrc/invoice.ts:40: total = round(sum)'),
      result('s2', { stdout: '47 passed, 1 failed', stderr: '', returncode: 1 }),
    ]);
    await said(
      9,
      [
        {
          role: 'assistant',
          content: [
            text(PLAN),
            call('d1', 'delegate', {
              agent: 'builder',
              instruction: 'Round once, at the end of src/price.ts. Add a test with three items of 0.335.',
            }),
            call('d2', 'delegate', {
              agent: 'reviewer',
              instruction: 'Look for other places that round money.',
            }),
          ],
        },
      ],
      '0.0518',
      6_900,
    );
    for (const id of ['d1', 'd2'])
      await log.appendEvents([{ name: 'tool:pre', data: { tool_name: 'delegate', tool_call_id: id } }]);
    await this.play(
      'shop-builder',
      child('builder', 'd1'),
      'Round once, at the end of src/price.ts. Add a test with three items of 0.335.',
      [
        [
          5,
          [
            {
              role: 'assistant',
              content: [
                text('I change `total` and add the test.'),
                call('e1', 'edit_file', {
                  file_path: 'src/price.ts',
                  old_string: 'return items.map((item) => round(item.price * item.count))\n  .reduce(add);',
                  new_string: 'return round(items.reduce((sum, item) => sum + item.price * item.count, 0));',
                }),
              ],
            },
            result('e1', 'Edited src/price.ts.'),
          ],
        ],
        [
          6,
          [
            { role: 'assistant', content: [call('e2', 'bash', { command: 'npm test' })] },
            result('e2', { stdout: '48 passed', stderr: '', returncode: 0 }),
          ],
        ],
        [4, [{ role: 'assistant', content: 'Rounding happens once now. 48 tests pass.' }]],
      ],
    );
    await log.appendEvents([
      { name: 'tool:post', data: { tool_name: 'delegate', tool_call_id: 'd1', success: true } },
    ]);
    const deeper = (agent: string, at: string) => ({
      agent_name: agent,
      parent_id: 'shop-reviewer',
      root_id: root,
      depth: 2,
      tool_call_id: at,
    });
    await this.play(
      'shop-reviewer',
      child('reviewer', 'd2'),
      'Look for other places that round money.',
      [
        [
          6,
          [
            {
              role: 'assistant',
              content: [
                text('I have two explorers look at both halves.'),
                call('x1', 'delegate', { agent: 'explorer', instruction: 'src/a* to src/m*' }),
                call('x2', 'delegate', { agent: 'explorer', instruction: 'src/n* to src/z*' }),
              ],
            },
          ],
          '0.0388',
          5_900,
        ],
      ],
      'active',
    );
    await this.play('shop-explorer-1', deeper('explorer', 'x1'), 'src/a* to src/m*', [
      [8, [{ role: 'assistant', content: 'Nothing else rounds there.' }], '0.0102', 9_400],
    ]);
    await this.play(
      'shop-explorer-2',
      deeper('explorer', 'x2'),
      'src/n* to src/z*',
      [[12, [{ role: 'assistant', content: 'src/refund.ts:31 rounds, too.' }], '0.0127', 11_800]],
      'failed',
    );
    await this.#end('shop-reviewer', 'completed');
    await log.appendEvents([
      { name: 'tool:post', data: { tool_name: 'delegate', tool_call_id: 'd2', success: true } },
    ]);
    await log.appendMessages([
      result('d1', { response: 'Rounding happens once now. 48 tests pass.', status: 'completed' }),
      result('d2', { response: 'src/refund.ts:31 rounds, too.', status: 'completed' }),
    ]);
    await said(6, [{ role: 'assistant', content: [text(DONE)] }], '0.0441', 8_200);
    await log.transition('completed', {
      patch: { extra: { outcome: { status: 'completed', text: '' }, turn: 1, outcome_turn: 1 } },
    });
    if (this.clock.now() < start) throw new Error('The clock went back.');
  }

  async #end(session_id: string, status: 'completed'): Promise<void> {
    await using log = await this.store.open(session_id);
    await this.pass(3_000);
    await log.transition(status, {
      patch: { extra: { outcome: { status, text: '' }, turn: 1, outcome_turn: 1 } },
    });
  }
}
