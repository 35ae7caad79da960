import { addCosts, compareDecimals, type Usage } from '@amplifier/core';
import type { SessionSpend } from '@amplifier/sessions';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import { firstWords } from '../views/first-words.js';

const api = endpoints({ tag: 'spend' });
const day = z.iso.datetime({ offset: true }).optional();
const range = { from: day, to: day };
const figures = {
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_tokens: z.int(),
  total_tokens: z.int(),
  cost_usd: z.string().nullable().openapi({ description: 'The known cost; null if unknown.' }),
  unpriced_tokens: z.int().openapi({ description: 'Tokens with unknown cost.' }),
  sessions: z.int(),
};
const SpendRow = z.object({ key: z.string(), ...figures }).openapi('SpendRow');
const TreeSpend = z
  .object({ session_id: z.string(), title: z.string().nullable(), created_at: z.string(), ...figures })
  .openapi('TreeSpend');
type Row = z.infer<typeof SpendRow>;

/** What was used, by sessions: each counts on the day it was created, with the model it used last. */
export function spendEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/spend', {
      summary: 'Get tokens and cost by day, agent, model or project',
      query: z.object({ by: z.enum(['day', 'agent', 'model', 'project']).default('day'), ...range }),
      success: {
        status: 200,
        description: 'Days in order; others, most expensive first.',
        schema: z.array(SpendRow),
      },
      async handle({ query: { by, from, to }, services: { store } }) {
        const rows = grouped(await store.spend(between(from, to)), KEYS[by]);
        return {
          body: by === 'day' ? rows.sort((a, b) => (a.key < b.key ? -1 : 1)) : rows.sort(dearestFirst),
        };
      },
    }),
    api.get('/api/v1/spend/trees', {
      summary: 'List the most expensive delegations',
      query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(10), ...range }),
      success: { status: 200, description: 'Most expensive first.', schema: z.array(TreeSpend) },
      async handle({ query: { limit, from, to }, services: { store } }) {
        const spends = await store.spend(between(from, to));
        const top = grouped(spends, ({ root_id }) => root_id)
          .sort(dearestFirst)
          .slice(0, limit);
        const roots = new Map(spends.map((each) => [each.session_id, each]));
        return {
          body: await Promise.all(
            top.map(async ({ key, ...row }) => ({
              session_id: key,
              title: roots.get(key)?.name ?? (await firstWords(store, key).catch(() => null)),
              created_at: roots.get(key)?.created ?? '',
              ...row,
            })),
          ),
        };
      },
    }),
  ];
}

const KEYS: Record<'day' | 'agent' | 'model' | 'project', (spend: SessionSpend) => string> = {
  day: ({ created }) => created.slice(0, 10),
  agent: ({ agent_name }) => agent_name ?? '',
  model: ({ model }) => model ?? '',
  project: ({ project }) => project ?? '',
};

function between(from: string | undefined, to: string | undefined): { from?: string; to?: string } {
  const iso = (text: string) => new Date(text).toISOString();
  return { ...(from === undefined ? {} : { from: iso(from) }), ...(to === undefined ? {} : { to: iso(to) }) };
}

function grouped(spends: readonly SessionSpend[], keyOf: (spend: SessionSpend) => string): Row[] {
  const rows = new Map<string, Row>();
  for (const spend of spends) {
    const key = keyOf(spend);
    rows.set(key, added(rows.get(key) ?? newRow(key), spend.usage));
  }
  return [...rows.values()];
}

function newRow(key: string): Row {
  const none = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, total_tokens: 0, unpriced_tokens: 0 };
  return { key, ...none, cost_usd: null, sessions: 0 };
}

function added(row: Row, usage: Usage): Row {
  const { input_tokens, output_tokens, total_tokens, cost_usd, cache_read_tokens = 0 } = usage;
  return {
    key: row.key,
    input_tokens: row.input_tokens + input_tokens,
    output_tokens: row.output_tokens + output_tokens,
    cached_tokens: row.cached_tokens + cache_read_tokens,
    total_tokens: row.total_tokens + total_tokens,
    cost_usd: addCosts(row.cost_usd, cost_usd),
    unpriced_tokens: row.unpriced_tokens + (cost_usd === null ? total_tokens : 0),
    sessions: row.sessions + 1,
  };
}

function dearestFirst(a: Row, b: Row): number {
  return compareDecimals(b.cost_usd ?? '0', a.cost_usd ?? '0') || b.total_tokens - a.total_tokens;
}
