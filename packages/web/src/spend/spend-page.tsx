import { useState } from 'preact/hooks';
import { readDearest, readSpend } from '../api/calls.js';
import type { SpendRow } from '../api/types.js';
import { sessionPath } from '../route/route.js';
import { count, money, plain, tokens } from '../ui/format.js';
import { Shown, useLoaded } from '../ui/load.js';
import { DayChart } from './day-chart.js';

const WAYS = [
  ['agent', 'Agent'],
  ['model', 'Model'],
  ['project', 'Project'],
  ['day', 'Day'],
] as const;
const RANGES = [7, 30, 90];
/** What has no name of its own. */
const NOBODY: Record<string, string> = { agent: 'roots themselves', project: 'no project' };

/** What it took: by day, agent, model and project, and the most expensive trees. */
export default function SpendPage() {
  const [days, setDays] = useState(30);
  const [by, setBy] = useState<(typeof WAYS)[number][0]>('agent');
  const day = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
  const from = `${day}T00:00:00.000Z`;
  const [perDay] = useLoaded(() => readSpend('day', from), [from]);
  const [rows] = useLoaded(() => readSpend(by, from), [by, from]);
  const [dearest] = useLoaded(readDearest, []);
  return (
    <main class="page spend">
      <div class="row">
        <h1>Spend</h1>
        <span class="grow" />
        {RANGES.map((range) => (
          <button key={range} type="button" aria-pressed={range === days} onClick={() => setDays(range)}>
            {range} days
          </button>
        ))}
      </div>
      <Shown of={perDay} rows={6}>
        {(all) => (
          <>
            <Totals rows={all} />
            <DayChart rows={all} days={days} />
          </>
        )}
      </Shown>
      <section>
        <div class="row by" role="tablist" aria-label="By">
          {WAYS.map(([id, name]) => (
            <button key={id} type="button" role="tab" aria-selected={by === id} onClick={() => setBy(id)}>
              {name}
            </button>
          ))}
        </div>
        <Shown of={rows}>{(all) => <SpendTable rows={all} name={by} />}</Shown>
      </section>
      <section>
        <h2>The ten most expensive trees</h2>
        <Shown of={dearest}>
          {(all) => (
            <table class="rows">
              <thead>
                <tr>
                  <th scope="col">Session</th>
                  <th scope="col" class="right">
                    Tokens
                  </th>
                  <th scope="col" class="right">
                    Cost
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((row) => (
                  <tr key={row.session_id}>
                    <td>
                      <a href={sessionPath(row.session_id)}>{plain(row.title ?? row.session_id)}</a>
                    </td>
                    <td class="right num">{tokens(row.total_tokens)}</td>
                    <td class="right num">{row.total_tokens === 0 ? '$0' : money(row.cost_usd)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Shown>
      </section>
    </main>
  );
}

function Totals({ rows }: { rows: SpendRow[] }) {
  const sum = (of: (row: SpendRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const unpriced = sum(({ unpriced_tokens }) => unpriced_tokens);
  const known = sum(({ cost_usd }) => Number(cost_usd ?? 0));
  return (
    <p class="totals-line num">
      <strong>{money(known)}</strong>
      {unpriced > 0 ? (
        <span class="dim"> and an unknown cost for {tokens(unpriced)} tokens without a price</span>
      ) : null}
      <span class="dim">
        {' '}
        · {tokens(sum(({ input_tokens }) => input_tokens))} in ·{' '}
        {tokens(sum(({ output_tokens }) => output_tokens))} out ·{' '}
        {tokens(sum(({ cached_tokens }) => cached_tokens))} from cache ·{' '}
        {count(
          sum(({ sessions }) => sessions),
          'session',
        )}
      </span>
    </p>
  );
}

function SpendTable({ rows, name }: { rows: SpendRow[]; name: string }) {
  if (rows.length === 0) return <p class="dim">Nothing was spent in this time.</p>;
  const most = Math.max(...rows.map(({ cost_usd }) => Number(cost_usd ?? 0)), 0);
  return (
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">{name}</th>
          <th scope="col" class="right">
            In
          </th>
          <th scope="col" class="right">
            Out
          </th>
          <th scope="col" class="right narrow">
            From cache
          </th>
          <th scope="col" class="right narrow">
            Sessions
          </th>
          <th scope="col" class="right">
            Cost
          </th>
          <th scope="col" class="share narrow">
            <span class="sr">Share</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <td>{row.key === '' ? <span class="dim">{NOBODY[name] ?? 'none'}</span> : plain(row.key)}</td>
            <td class="right num">{tokens(row.input_tokens)}</td>
            <td class="right num">{tokens(row.output_tokens)}</td>
            <td class="right num narrow">{tokens(row.cached_tokens)}</td>
            <td class="right num narrow">{row.sessions}</td>
            <td class="right num">{row.cost_usd === null ? 'unknown' : money(row.cost_usd)}</td>
            <td class="share narrow">
              <span
                class="share-bar"
                style={{ width: `${most > 0 ? (Number(row.cost_usd ?? 0) / most) * 100 : 0}%` }}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
