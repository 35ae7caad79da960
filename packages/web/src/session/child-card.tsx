import { rollUp } from '../live/fold-tree.js';
import { stateOf, wordOf } from '../live/state-of.js';
import { sessionPath } from '../route/route.js';
import { Elapsed } from '../ui/elapsed.js';
import { plain, spent, tokens } from '../ui/format.js';
import { StatusMark } from '../ui/status-mark.js';
import { currentRoom } from './current-room.js';

/** The child that a delegation made: how it stands, and the way in. */
export function ChildCard({ callId }: { callId: string }) {
  const room = currentRoom.value;
  room?.version.value;
  const parent = room?.tree?.nodes.get(room.selected.value);
  const child = parent?.children.find(({ tool_call_id }) => tool_call_id === callId);
  if (!child) return null;
  const sum = rollUp(child);
  const state = stateOf(child);
  return (
    <span class="child-card">
      <StatusMark state={state} />
      <span class="dim">
        {wordOf(child)} · <Elapsed from={child.started_at} to={child.ended_at} /> · {tokens(sum.tokens)}{' '}
        tokens · {spent(sum)}
      </span>
      <a href={sessionPath(child.session_id)}>Open {plain(child.agent ?? 'child')}</a>
    </span>
  );
}
