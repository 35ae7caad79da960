import { shorten } from '@amplifier/core/browser';
import type { TreeNode } from '../api/types.js';
import { stateOf, wordOf } from '../live/state-of.js';
import { rollUp } from '../live/tree.js';
import { sessionPath } from '../route/route.js';
import { count, plain, spent, tokens } from '../ui/format.js';
import { StatusMark } from '../ui/status-mark.js';
import type { SessionRoom } from './session-room.js';

/** Where we are: the way down from the root, how it stands, and what the tree has used. */
export function SessionHead({ room, other }: { room: SessionRoom; other: { href: string; name: string } }) {
  room.version.value;
  const line: TreeNode[] = [];
  for (
    let at = room.tree?.nodes.get(room.selected.value);
    at;
    at = at.parent_id ? room.tree?.nodes.get(at.parent_id) : undefined
  )
    line.unshift(at);
  const here = line.at(-1);
  const root = line[0];
  const sum = root ? rollUp(root) : null;
  return (
    <header class="session-head">
      {here ? null : <h1 class="sr">Session</h1>}
      <nav aria-label="The way down">
        <ol class="crumbs">
          {line.map((node) => (
            <li key={node.session_id}>
              {node === here ? (
                <h1>{plain(nameOf(node))}</h1>
              ) : (
                <a href={sessionPath(node.session_id)}>{plain(nameOf(node))}</a>
              )}
            </li>
          ))}
        </ol>
      </nav>
      {here ? (
        <span class="state" role="status">
          <StatusMark state={stateOf(here)} /> <span class={stateOf(here)}>{wordOf(here)}</span>
        </span>
      ) : null}
      <span class="grow" />
      {sum ? (
        <span class="dim num totals">
          {count(sum.sessions, 'session')} · {tokens(sum.tokens)} tokens · {spent(sum)}
        </span>
      ) : null}
      <a class="button" href={other.href}>
        {other.name} <kbd>t</kbd>
      </a>
    </header>
  );
}

function nameOf(node: TreeNode): string {
  return shorten(node.agent ?? node.title ?? 'session', 60);
}
