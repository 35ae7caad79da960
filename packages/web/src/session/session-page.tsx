import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { place, timelinePath } from '../route/route.js';
import { say } from '../ui/notices.js';
import { Composer } from './composer.js';
import { Conversation } from './conversation.js';
import { useRoom } from './current-room.js';
import { Facts } from './facts.js';
import { SessionHead } from './session-head.js';
import { TreeView } from './tree-view.js';

const TABS = ['Tree', 'Conversation', 'Facts'] as const;

/** Tree, conversation and facts; on a small screen one at a time. */
export default function SessionPage() {
  const room = useRoom(place.value);
  const tab = useSignal<(typeof TABS)[number]>('Conversation');
  const error = room?.error.value;
  useEffect(() => {
    if (room?.truncated.value) say('The tree has more sessions than are shown.');
  }, [room?.truncated.value]);
  if (!room) return <main class="session" />;
  if (error && !room.tree)
    return (
      <main class="page">
        <h1 class="sr">Session</h1>
        <p class="problem">✕ {error}</p>
        <p>
          <a href="/">Now</a> lists the sessions there are.
        </p>
      </main>
    );
  return (
    <main class="session" data-tab={tab.value}>
      <SessionHead room={room} other={{ href: timelinePath(room.selected.value), name: 'Timeline' }} />
      <div class="tabs" role="tablist" aria-label="Parts of the session">
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={tab.value === name}
            onClick={() => {
              tab.value = name;
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <nav class="pane tree-pane" aria-label="Sessions of this tree">
        {error ? <p class="problem">✕ {error}</p> : null}
        <TreeView room={room} />
      </nav>
      <div class="pane middle">
        <Conversation room={room} />
        <Composer room={room} />
      </div>
      <div class="pane facts-pane">
        <Facts room={room} />
      </div>
    </main>
  );
}
