import { type FakeExchange, FakeModelServer, type FakeReply, TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { Host } from '../host.js';
import { openProject } from '../project/open-project.js';

/** A model that uses all it may: the whole output limit, and a token for every two bytes it is sent. */
function greedy(exchange: FakeExchange, more: FakeReply): FakeReply {
  const { max_tokens } = exchange.body as { max_tokens?: number };
  const input_tokens = Math.floor(JSON.stringify(exchange.body).length / 2);
  return { ...more, usage: { input_tokens, output_tokens: max_tokens ?? 60_000 } };
}

async function bench(
  model: string,
  script: (exchange: FakeExchange, index: number) => FakeReply,
  settings = '',
  provider = '',
) {
  const server = await FakeModelServer.start({ script });
  const folder = await TempWorkspace.create({ 'a.txt': 'ALPHA' });
  const home = await TempWorkspace.create({
    'settings.yaml': `config:\n  providers:\n    - module: provider-openai-compatible\n      config: { base_url: "${server.url}/v1", default_model: ${model}, max_retries: 2, retry_initial_delay: 0${provider} }\n${settings}`,
  });
  const project = await openProject({ cwd: folder.path, environment: { AMPLIFIER_HOME: home.path } });
  const host = await Host.open(project);
  return {
    server,
    host,
    run: (limits: object) =>
      host
        .run({ instruction: 'Go.', safety_mode: 'read_only', trusted: true, limits })
        .then(({ outcome }) => outcome),
    async [Symbol.asyncDispose]() {
      await host.close();
      for (const each of [server, folder, home]) await each[Symbol.asyncDispose]();
    },
  };
}

const look: FakeReply = { tool_calls: [{ name: 'read_file', raw_arguments: '{"file_path":"a.txt"}' }] };
const hand: FakeReply = {
  tool_calls: Array.from({ length: 4 }, () => ({
    name: 'delegate',
    raw_arguments: '{"agent":"explorer","instruction":"Look.","context_depth":"none"}',
  })),
};

describe('a limit on money', () => {
  it('is never exceeded by a model with a price, whatever it uses, children in parallel included', async () => {
    await using b = await bench('gpt-5', (exchange, index) =>
      greedy(exchange, index % 5 === 0 ? hand : look),
    );
    const outcome = await b.run({ max_cost_usd: '1.00' });
    expect(outcome).toMatchObject({ status: 'limit', limit: { kind: 'cost' } });
    const { cost_usd } = await b.host.delegator.control.subtreeUsage(outcome.session_id);
    expect(Number(cost_usd)).toBeGreaterThan(0.3);
    expect(Number(cost_usd)).toBeLessThanOrEqual(1);
    for (const { body } of b.server.exchanges) expect(body).toHaveProperty('max_tokens');
  });

  it('refuses a model whose price nobody knows, before it is asked, unless that is allowed', async () => {
    await using b = await bench('mystery-1', (exchange) => greedy(exchange, { text: 'Hi.' }));
    const outcome = await b.run({ max_cost_usd: '1.00' });
    expect(outcome).toMatchObject({ status: 'limit', limit: { kind: 'cost' } });
    expect(JSON.stringify(outcome)).toContain("under 'prices' in settings.yaml");
    expect(b.server.exchanges).toEqual([]);
    expect(await b.run({ max_cost_usd: '1.00', allow_unpriced: true })).toMatchObject({ text: 'Hi.' });
  });

  it('knows the prices of the user’s settings', async () => {
    const prices = 'prices:\n  mystery-1: { input: 0.1, output: "1" }\n';
    await using b = await bench('mystery-1', (exchange) => greedy(exchange, { text: 'Hi.' }), prices);
    const outcome = await b.run({ max_cost_usd: '1.00' });
    expect(outcome).toMatchObject({ status: 'completed', text: 'Hi.' });
    expect(Number(outcome.cost)).toBeGreaterThan(0.008);
  });

  it('counts calls that failed on the way, retries included, and stops when they have used it up', async () => {
    await using b = await bench('gpt-5', (exchange) => greedy(exchange, { cut: true, text: 'Half an ans' }));
    const once = await b.run({ max_cost_usd: '1.00' });
    expect(once.status).not.toBe('completed');
    expect(Number(once.cost)).toBeGreaterThan(0);
    // Nothing is heard, so the provider tries again; what the first attempt may have cost leaves nothing for the second.
    b.server.play((exchange) => greedy(exchange, { cut: true }));
    const outcome = await b.run({ max_cost_usd: '0.09' });
    expect(outcome).toMatchObject({ status: 'limit', limit: { kind: 'cost' } });
    expect(b.server.exchanges).toHaveLength(1);
  });
});

describe('the limits of a provider', () => {
  const done: FakeReply = { text: 'Done.' };
  /** A model that turns away whoever comes while so many are being served, and whose first answer hands out the work. */
  function crowded(most: number) {
    const seen = { atOnce: 0, most: 0, turnedAway: 0 };
    const script = ({ ended, steps }: FakeExchange, index: number): FakeReply => {
      if (index === 0) return { tool_calls: [...(hand.tool_calls ?? []), ...(hand.tool_calls ?? [])] };
      if (steps.some(({ role }) => role === 'tool')) return done;
      if (seen.atOnce === most) {
        seen.turnedAway++;
        return { fail: { status: 429, message: 'slow down', headers: { 'retry-after-ms': '30' } } };
      }
      seen.most = Math.max(seen.most, ++seen.atOnce);
      void ended.then(() => seen.atOnce--);
      return { ...done, sleep_ms: 20 };
    };
    return { seen, script };
  }

  async function outcomesOf(b: Awaited<ReturnType<typeof bench>>) {
    const { session_id } = await b.run({});
    const children = await b.host.store.children(session_id);
    const events = await Promise.all(children.map((child) => b.host.store.events(child.session_id)));
    const reasons = events
      .flat()
      .flatMap(({ name, data }) => (name === 'provider:wait' ? [data.reason] : []));
    return { statuses: children.map(({ status }) => status), reasons };
  }

  it('slow a whole tree down when one call is turned away, and none of its siblings fails for that', async () => {
    const { seen, script } = crowded(1);
    await using b = await bench('mystery-1', script);
    const { statuses, reasons } = await outcomesOf(b);
    expect(statuses).toEqual(Array(8).fill('completed'));
    expect(seen.turnedAway).toBeGreaterThan(0);
    expect(reasons).toContain('1 at a time');
  });

  it('let no more calls out at once than the settings allow', async () => {
    const { seen, script } = crowded(8);
    await using b = await bench('mystery-1', script, '', ', concurrency: 2');
    const { statuses, reasons } = await outcomesOf(b);
    expect(statuses).toEqual(Array(8).fill('completed'));
    expect(seen).toMatchObject({ most: 2, turnedAway: 0 });
    expect(reasons).toContain('2 at a time');
  });
});
