import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { readTimeline } from '../api/calls.js';
import { errorWords } from '../api/client.js';
import type { Span } from '../api/types.js';
import { paced } from '../live/everything.js';
import { place, sessionPath } from '../route/route.js';
import { useRoom } from '../session/current-room.js';
import { SessionHead } from '../session/session-head.js';
import type { SessionRoom } from '../session/session-room.js';
import { Skeleton } from '../ui/skeleton.js';
import { Flame } from './flame-view.js';
import { Gantt } from './gantt.js';
import { Replay } from './replay-slider.js';

type View = 'bars' | 'cost' | 'tokens';
const VIEWS: [View, string][] = [
  ['bars', 'Bars over time'],
  ['cost', 'Flame of cost'],
  ['tokens', 'Flame of tokens'],
];

/** The tree over time, and by what it took. */
export default function TimelinePage() {
  const room = useRoom(place.value);
  if (!room) return <main class="timeline" />;
  return <Timeline room={room} />;
}

const MEANINGS = [
  ['bar-model', 'model call'],
  ['bar-tool', 'tool'],
  ['bar-wait', 'waits for a person'],
  ['bar-model still', 'goes on'],
  ['bar-model bad', 'failed'],
] as const;

function Legend() {
  return (
    <p class="legend dim">
      {MEANINGS.map(([look, meaning]) => (
        <span key={meaning}>
          <svg width="24" height="12" aria-hidden="true">
            <rect
              class={look}
              width="24"
              y={look === 'bar-tool' ? 3 : 0}
              height={look === 'bar-tool' ? 6 : 12}
              rx="2"
            />
          </svg>
          {meaning}
        </span>
      ))}
    </p>
  );
}

function Timeline({ room }: { room: SessionRoom }) {
  const spans = useSignal<Span[] | null>(null);
  const error = useSignal<string | null>(null);
  const view = useSignal<View>('bars');
  /** The moment that is replayed; null: now. */
  const moment = useSignal<number | null>(null);
  const read = useMemo(
    () =>
      paced(
        () =>
          void readTimeline(room.root).then(
            (answer) => {
              spans.value = answer;
              error.value = null;
            },
            (reason: unknown) => {
              error.value = errorWords(reason);
            },
          ),
        2_000,
      ),
    [room, spans, error],
  );
  const happened = room.events.value;
  useEffect(() => read(), [read, happened]);
  room.version.value;
  const { tree } = room;
  return (
    <main class="timeline">
      <SessionHead room={room} other={{ href: sessionPath(room.selected.value), name: 'Conversation' }} />
      <div class="row bar" role="tablist" aria-label="Ways to look">
        {VIEWS.map(([id, name]) => (
          <button
            key={id}
            type="button"
            role="tab"
            aria-selected={view.value === id}
            onClick={() => {
              view.value = id;
            }}
          >
            {name}
          </button>
        ))}
      </div>
      {view.value === 'bars' ? <Legend /> : null}
      {error.value ? <p class="problem">✕ {error.value}</p> : null}
      {tree && spans.value ? (
        <>
          {view.value === 'bars' ? (
            <Gantt tree={tree} spans={spans.value} moment={moment.value} selected={room.selected.value} />
          ) : (
            <Flame tree={tree} by={view.value} />
          )}
          <Replay tree={tree} spans={spans.value} moment={moment} />
        </>
      ) : (
        <Skeleton rows={10} />
      )}
    </main>
  );
}
