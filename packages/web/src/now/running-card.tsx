import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { readTree } from '../api/calls.js';
import type { TreeNode, TreeSummary } from '../api/types.js';
import { onAnything, paced } from '../live/everything.js';
import { stateOf, wordOf } from '../live/state-of.js';
import { rollUp } from '../live/tree.js';
import { sessionPath } from '../route/route.js';
import { treeRows } from '../session/tree-rows.js';
import { Elapsed } from '../ui/elapsed.js';
import { money, plain, spent, tokens } from '../ui/format.js';
import { StatusMark } from '../ui/status-mark.js';

const NOTHING_FOLDED = signal(new Set<string>());
const MOST = 8;

/** A root that works, with its tree as it grows. */
export function RunningCard({ row }: { row: TreeSummary }) {
  const tree = useSignal<TreeNode | null>(null);
  const { session_id } = row;
  useEffect(() => {
    const stopped = new AbortController();
    const read = paced(
      () =>
        void readTree(session_id, stopped.signal).then(
          ({ root }) => {
            tree.value = root;
          },
          () => {},
        ),
      1_000,
    );
    read();
    const stop = onAnything((event) => {
      if (event === null || event.root_id === session_id) read();
    });
    return () => {
      stopped.abort();
      stop();
    };
  }, [session_id, tree]);
  const root = tree.value;
  const sum = root ? rollUp(root) : { ...row.total, sessions: row.sessions };
  const rows = root ? treeRows(root, NOTHING_FOLDED.value).slice(1) : [];
  const state = stateOf(row);
  return (
    <article class="running-card">
      <header>
        <StatusMark state={state} word={state} />
        <a href={sessionPath(session_id)}>
          <strong>{plain(row.title ?? row.agent ?? session_id)}</strong>
        </a>
        <span class="grow" />
        <span class="dim num">
          <Elapsed from={row.started_at} to={null} /> · {tokens(sum.tokens)} tokens · {spent(sum)}
          {row.budget_usd ? ` of ${money(row.budget_usd)}` : ''}
        </span>
      </header>
      <ul>
        {rows.slice(0, MOST).map(({ node, level }) => (
          <li key={node.session_id} style={{ '--level': Math.min(level - 1, 6) }}>
            <StatusMark state={stateOf(node)} />
            <a href={sessionPath(node.session_id)}>{plain(node.agent ?? node.title ?? 'session')}</a>
            <span class="dim">{wordOf(node)}</span>
            <span class="grow" />
            <span class="dim num">
              <Elapsed from={node.started_at} to={node.ended_at} />
            </span>
          </li>
        ))}
      </ul>
      {rows.length > MOST ? <p class="dim">and {rows.length - MOST} more</p> : null}
    </article>
  );
}
