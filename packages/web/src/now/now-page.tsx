import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { listTrees } from '../api/calls.js';
import type { TreeSummary } from '../api/types.js';
import { onAnything, paced } from '../live/everything.js';
import { stateOf } from '../live/state-of.js';
import { Skeleton } from '../ui/skeleton.js';
import { EmptyNow } from './empty-now.js';
import { inbox, refreshInbox } from './inbox.js';
import { InboxList } from './inbox-list.js';
import { Recent } from './recent.js';
import { RunningCard } from './running-card.js';

const recent = signal<TreeSummary[] | null>(null);

async function refresh(): Promise<void> {
  void refreshInbox();
  recent.value = await listTrees({ limit: 50 }).catch(() => recent.value);
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
