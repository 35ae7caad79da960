import { hostPaths } from '@amplifier/host';
import { openSessionStore, type SqlSessionStore } from '@amplifier/sessions';
import { VirtualClock } from '@amplifier/testkit';
import { Actor, call, play, text } from './picture-actors.js';
import { LAUNCH, PLAN } from './picture-texts.js';

const DAY = 86_400_000;
export const ROOT = 'shop-rounding';

/** A home with a month's work in it, and a tree at work for as long as the store is open: made in the record, with times and prices of its own. */
export async function openPictureRecord(
  home: string,
  folder: string,
  until: number,
): Promise<SqlSessionStore> {
  const { record } = hostPaths(folder, { AMPLIFIER_HOME: home });
  const clock = new VirtualClock(until - 31 * DAY);
  const store = await openSessionStore(record, { clock, project: 'shop' });
  await month(store, clock, until);
  await atWork(store, clock, until);
  return store;
}

const EARLIER: [
  daysAgo: number,
  agent: string,
  name: string,
  cost: string,
  tokens: number,
  project?: string,
][] = [
  [29, 'explorer', 'Map the checkout', '0.42', 61_000],
  [27, 'builder', 'Add gift cards', '1.84', 240_000],
  [26, 'reviewer', 'Review the gift cards', '0.61', 88_000],
  [24, 'explorer', 'Why is search slow on phones?', '0.37', 52_000],
  [22, 'builder', 'Cache the product list', '0.93', 131_000],
  [20, 'architect', 'Plan the move to one database', '2.71', 310_000],
  [19, 'builder', 'Move the orders table', '3.36', 402_000],
  [17, 'reviewer', 'Review the moved orders', '0.84', 119_000],
  [15, 'builder', 'Delete the old order service', '1.12', 150_000],
  [13, 'explorer', 'Find dead feature flags', '0.29', 41_000],
  [12, 'builder', 'Remove dead feature flags', '0.77', 98_000],
  [10, 'reviewer', 'Check the release of 2.3', '0.55', 70_000],
  [8, 'architect', 'Design refunds in parts', '1.94', 221_000],
  [6, 'builder', 'Refunds in parts', '2.47', 288_000],
  [5, 'explorer', 'Explain how refunds work', '0.18', 21_000],
  [3, 'explorer', 'Find slow queries in the report', '0.28', 42_000],
  [2, 'builder', 'Speed up the monthly report', '1.31', 164_000],
  [1, 'scribe', 'Update the changelog for 2.4', '0.38', 63_000],
];

async function month(store: SqlSessionStore, clock: VirtualClock, until: number): Promise<void> {
  for (const [at, [ago, agent, name, cost, tokens]] of EARLIER.entries()) {
    await clock.advance(Math.max(0, until - ago * DAY - clock.now()));
    const root = `earlier-${at}`;
    const actor = await Actor.begin(store, { session_id: root, name }, name, { model: 'claude-opus-4-5' });
    const below = {
      session_id: `earlier-${at}-1`,
      parent_id: root,
      root_id: root,
      depth: 1,
      agent_name: agent,
    };
    const child = await Actor.begin(store, below, name);
    await clock.advance(60_000);
    await child.says('Done.', String(Number(cost) * 0.7), Math.round(tokens * 0.7));
    await child.ends();
    await actor.says('Done.', String(Number(cost) * 0.3), Math.round(tokens * 0.3));
    await actor.ends();
  }
  await clock.advance(Math.max(0, until - 5 * 3_600_000 - clock.now()));
  const name = 'Migrate the tests to the new runner';
  const failed = await Actor.begin(store, { session_id: 'earlier-failed', name }, 'Migrate the tests.');
  await clock.advance(240_000);
  await failed.says('I begin with the slow ones.', '0.91', 120_000);
  await failed.ends('failed', 'It reached its limit of 20 model calls.');
}

/** Five sessions that work at once: one is done, one has failed, one waits for a person. */
async function atWork(store: SqlSessionStore, clock: VirtualClock, until: number): Promise<void> {
  const actors = new Map<string, Actor>();
  const at = (name: string): Actor => actors.get(name) as Actor;
  const child = (agent_name: string, tool_call_id: string, parent_id = ROOT, depth = 1) => ({
    agent_name,
    tool_call_id,
    parent_id,
    depth,
    root_id: ROOT,
  });
  const begin = async (name: string, about: object, task: string, options = {}) => {
    const session_id = name === 'root' ? ROOT : `shop-${name}`;
    actors.set(name, await Actor.begin(store, { session_id, ...about }, task, options));
  };
  const deeper = (id: string) => child('explorer', id, 'shop-reviewer', 2);
  await play(clock, until, [
    [
      0,
      () =>
        begin(
          'root',
          { name: 'Round prices once' },
          'Customers see 1.02 on the invoice and 1.01 in the cart. Find out why and fix it, with a test.',
          { model: 'claude-opus-4-5', launch: LAUNCH },
        ),
    ],
    [
      7,
      () =>
        at('root').says(
          [
            {
              type: 'thinking',
              thinking:
                'The sums differ by a cent.\nSo something rounds twice.\nLook for every use of round().',
            },
            text('I begin with where prices are rounded.'),
            call('s1', 'grep', { pattern: 'round\\(', path: 'src' }),
            call('s2', 'bash', { command: 'npm test -- price' }),
          ],
          '0.0312',
          3_100,
        ),
    ],
    [
      8.2,
      () => at('root').gets('s1', 'src/price.ts:12: round(price * count)\nsrc/invoice.ts:40: round(sum)'),
    ],
    [14, () => at('root').gets('s2', { stdout: '47 passed, 1 failed', stderr: '', returncode: 1 })],
    [
      21,
      () =>
        at('root').says(
          [
            text(PLAN),
            call('d1', 'delegate', {
              agent: 'builder',
              instruction: 'Round once, at the end of src/price.ts. Add a test with three items of 0.335.',
            }),
            call('d2', 'delegate', {
              agent: 'reviewer',
              instruction: 'Look for other places that round money.',
            }),
            call('d3', 'delegate', {
              agent: 'scribe',
              instruction: 'Say in docs/pricing.md how prices are rounded.',
            }),
          ],
          '0.0518',
          6_900,
        ),
    ],
    [22, () => begin('builder', child('builder', 'd1'), 'Round once, at the end of src/price.ts.')],
    [22.2, () => begin('reviewer', child('reviewer', 'd2'), 'Look for other places that round money.')],
    [22.4, () => begin('scribe', child('scribe', 'd3'), 'Say in docs/pricing.md how prices are rounded.')],
    [
      30,
      () =>
        at('builder').says(
          [
            text('I change `total` and add the test.'),
            call('e1', 'edit_file', {
              file_path: 'src/price.ts',
              old_string: 'return items.map((item) => round(item.price * item.count))\n  .reduce(add);',
              new_string: 'return round(items.reduce((sum, item) => sum + item.price * item.count, 0));',
            }),
          ],
          '0.0421',
          5_200,
        ),
    ],
    [31, () => at('builder').gets('e1', 'Edited src/price.ts.')],
    [39, () => at('builder').says([call('e2', 'bash', { command: 'npm test' })], '0.0188', 2_900)],
    [52, () => at('builder').gets('e2', { stdout: '48 passed', stderr: '', returncode: 0 })],
    [58, () => at('builder').says('Rounding happens once now. 48 tests pass.', '0.0142', 2_100)],
    [58.2, () => at('builder').ends()],
    [
      58.3,
      () =>
        at('root').gets('d1', { response: 'Rounding happens once now. 48 tests pass.', status: 'completed' }),
    ],
    [
      33,
      () =>
        at('reviewer').says(
          [
            text('I have three explorers look at a part each.'),
            ...['src/a* to src/h*', 'src/i* to src/p*', 'src/q* to src/z*'].map((instruction, index) =>
              call(`x${index + 1}`, 'delegate', { agent: 'explorer', instruction }),
            ),
          ],
          '0.0388',
          5_900,
        ),
    ],
    [34, () => begin('explorer-1', deeper('x1'), 'src/a* to src/h*', { model: 'claude-haiku-4-5' })],
    [34.2, () => begin('explorer-2', deeper('x2'), 'src/i* to src/p*', { model: 'claude-haiku-4-5' })],
    [34.4, () => begin('explorer-3', deeper('x3'), 'src/q* to src/z*', { model: 'claude-haiku-4-5' })],
    [49, () => at('explorer-1').says([call('g1', 'grep', { pattern: 'round' })], '0.0041', 4_400)],
    [50, () => at('explorer-1').gets('g1', 'no match')],
    [62, () => at('explorer-1').says('Nothing else rounds there.', '0.0061', 5_000)],
    [62.2, () => at('explorer-1').ends()],
    [62.3, () => at('reviewer').gets('x1', { response: 'Nothing else rounds there.', status: 'completed' })],
    [52.5, () => at('explorer-2').says([call('g2', 'grep', { pattern: 'cents' })], '0.0052', 5_600)],
    [56, () => at('explorer-2').gets('g2', 'src/order.ts:8: cents')],
    [71, () => at('explorer-2').says('I look at every use.', '0.0075', 6_200)],
    [71.2, () => at('explorer-2').ends('failed', 'It reached its limit of 12,000 tokens.')],
    [71.3, () => at('reviewer').gets('x2', { response: 'It reached its limit.', status: 'limit' }, false)],
    [60, () => at('explorer-3').says([call('g3', 'grep', { pattern: 'round' })], '0.0049', 5_100)],
    [61, () => at('explorer-3').gets('g3', 'src/refund.ts:31: round(amount)')],
    [
      40,
      () => at('scribe').says([call('r1', 'read_file', { file_path: 'docs/pricing.md' })], '0.0113', 1_800),
    ],
    [40.6, () => at('scribe').gets('r1', 'Prices are in cents.')],
    [
      66,
      () =>
        at('scribe').says(
          [
            text('The page says nothing of rounding yet.'),
            call('w1', 'edit_file', {
              file_path: 'docs/pricing.md',
              old_string: 'Each line of an order is rounded to whole cents.',
              new_string: 'Prices are added up first and rounded once, to whole cents, at the end.',
            }),
          ],
          '0.0127',
          2_300,
        ),
    ],
    [
      66.1,
      () =>
        at('scribe').asks(
          'question_pricing',
          'w1',
          'scribe',
          `Agent 'scribe' (shop-scribe, child of ${ROOT}) wants to use edit_file: docs/pricing.md`,
          ['Allow once', 'Allow always: docs/**', 'Deny'],
        ),
    ],
    [94, async () => {}],
  ]);
}
