import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { createSession, giveInstruction, listTrees } from '../api/calls.js';
import type { TreeSummary } from '../api/types.js';
import { onAnything, paced } from '../live/everything.js';
import { stateOf, wordOf } from '../live/state-of.js';
import { demo } from '../palette/entries.js';
import { go, sessionPath } from '../route/route.js';
import { now } from '../ui/clock.js';
import { ago, money, plain, tokens } from '../ui/format.js';
import { attempt, say } from '../ui/notices.js';
import { Skeleton } from '../ui/skeleton.js';
import { StatusMark } from '../ui/status-mark.js';
import { inbox, refreshInbox } from './inbox.js';
import { InboxList } from './inbox-list.js';
import { RunningCard } from './running-card.js';

const recent = signal<TreeSummary[] | null>(null);

async function refresh(): Promise<void> {
  void refreshInbox();
  recent.value = await listTrees(50).catch(() => recent.value);
}

/** What waits for a person, what is running, and what was. */
export default function NowPage() {
  useLayoutEffect(() => {
    const again = paced(() => void refresh(), 500);
    again();
    return onAnything(again);
  }, []);
  const rows = recent.value;
  const waiting = inbox.value;
  if (rows === null || waiting === null)
    return (
      <main class="page">
        <h1 class="sr">Now</h1>
        <Skeleton />
      </main>
    );
  if (rows.length === 0 && waiting.length === 0) return <EmptyNow />;
  const running = rows.filter((row) => row.running > 0 || ['running', 'waiting'].includes(stateOf(row)));
  return (
    <main class="now">
      <h1 class="sr">Now</h1>
      <section class="waiting" aria-labelledby="waits">
        <h2 id="waits">
          Waits for you <span class="dim">{waiting.length}</span>
        </h2>
        <InboxList items={waiting} />
      </section>
      <section class="running" aria-labelledby="runs">
        <h2 id="runs">
          Running <span class="dim">{running.length}</span>
        </h2>
        {running.length === 0 ? <p class="dim">Nothing is running.</p> : null}
        {running.slice(0, 8).map((row) => (
          <RunningCard key={row.session_id} row={row} />
        ))}
        {running.length > 8 ? <p class="dim">and {running.length - 8} more, below</p> : null}
      </section>
      <Recent rows={rows} />
    </main>
  );
}

function Recent({ rows }: { rows: TreeSummary[] }) {
  return (
    <section class="recent" aria-labelledby="recent">
      <h2 id="recent">Recent</h2>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">State</th>
            <th scope="col" class="narrow">
              Project
            </th>
            <th scope="col" class="right narrow">
              Tokens
            </th>
            <th scope="col" class="right">
              Cost
            </th>
            <th scope="col" class="right narrow">
              Changed
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const state = stateOf(row);
            return (
              <tr key={row.session_id}>
                <td>
                  <a href={sessionPath(row.session_id)}>{plain(row.title ?? row.agent ?? row.session_id)}</a>
                </td>
                <td>
                  <StatusMark state={state} /> <span class={state}>{wordOf(row)}</span>
                </td>
                <td class="dim narrow">{row.project ? plain(row.project) : ''}</td>
                <td class="right num narrow">{tokens(row.total.tokens)}</td>
                <td class="right num">{row.total.tokens === 0 ? '$0' : money(row.total.cost_usd)}</td>
                <td class="right dim narrow">{ago(row.updated_at, now.value)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

const QUESTION = 'Find out what this folder holds.';

/** As any client of the API would. */
async function askAboutFolder(): Promise<void> {
  say('Starting a session.');
  const made = await attempt(async () => {
    const { session_id } = await createSession({});
    await giveInstruction(session_id, QUESTION);
    return session_id;
  });
  if (made) go(sessionPath(made));
}

/** Nothing was ever done here: three things to try. */
function EmptyNow() {
  return (
    <main class="page empty">
      <h1>Nothing has run yet</h1>
      <p class="dim">
        Everything that delegates, from any entry point of this home, appears here as it happens.
      </p>
      <ol class="try">
        <li>
          <button type="button" class="primary" onClick={() => void demo()}>
            Run the offline demo
          </button>
          <span>A parent hands work to three agents. No key and no network needed.</span>
        </li>
        <li>
          <button type="button" onClick={() => go('/agents')}>
            Try an agent
          </button>
          <span>A dry run shows what an agent would get, without spending anything.</span>
        </li>
        <li>
          <button type="button" onClick={() => void askAboutFolder()}>
            Ask about this folder
          </button>
          <span>
            A session on your own model, as <code>amplifier run "{QUESTION}"</code> starts it.
          </span>
        </li>
      </ol>
    </main>
  );
}
