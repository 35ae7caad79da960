import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Span } from '../api/types.js';
import type { Tree } from '../live/tree.js';
import { treeRows } from '../session/tree-rows.js';
import { now } from '../ui/clock.js';
import { clockTime, duration } from '../ui/format.js';
import { aboutSpan } from './about-span.js';
import { GanttRow } from './gantt-row.js';
import { Overview } from './overview.js';
import { momentAt } from './replay.js';
import { timeScale } from './time-scale.js';

const ROW = 28;
const SPARE = 8;
const NOTHING = new Set<string>();

interface Props {
  tree: Tree;
  spans: Span[];
  moment: number | null;
  selected: string;
}

/** A line for each session, a bar for each turn, model call, tool and wait. A range can be picked in the overview. */
export function Gantt({ tree, spans, moment, selected }: Props) {
  const [range, setRange] = useState<[number, number] | null>(null);
  const [top, setTop] = useState(0);
  const [hovered, setHovered] = useState<Span | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const isOpen = spans.some(({ end }) => end === null);
  const until = isOpen ? now.value : 0;
  const times = useMemo(
    () =>
      spans.map((span) => ({ from: Date.parse(span.start), to: span.end ? Date.parse(span.end) : until })),
    [spans, until],
  );
  const first = times.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY);
  const last = times.reduce((most, { to }) => Math.max(most, to), 0);
  const [from, to] = range ?? [first, Math.max(last, first + 1)];
  const scale = useMemo(() => timeScale(times, from, to), [times, from, to]);
  const bySession = useMemo(() => bySessionOf(spans), [spans]);
  const root = tree.nodes.get(tree.root);
  const rows = root ? treeRows(root, NOTHING) : [];
  const state = moment === null ? null : momentAt(tree.nodes.values(), spans, moment);
  const height = box.current?.clientHeight ?? 600;
  const begin = Math.max(0, Math.floor(top / ROW) - SPARE);
  const visible = rows.slice(begin, Math.ceil((top + height) / ROW) + SPARE);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
      const wide = to - from;
      const show = (a: number, b: number) => setRange([Math.max(a, first), Math.min(b, last)]);
      if (event.key === '+' || event.key === '=') show(from + wide / 4, to - wide / 4);
      else if (event.key === '-') show(from - wide / 2, to + wide / 2);
      else if (event.key === 'ArrowRight' && range) show(from + wide / 4, to + wide / 4);
      else if (event.key === 'ArrowLeft' && range) show(from - wide / 4, to - wide / 4);
      else if (event.key === 'Escape' || event.key === '0') setRange(null);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });

  if (spans.length === 0) return <p class="dim">Nothing has happened yet.</p>;
  return (
    <div class="gantt">
      <Overview times={times} from={first} to={last} range={range} onRange={setRange} />
      <Axis scale={scale} from={from} to={to} />
      <div class="gantt-rows" ref={box} onScroll={() => setTop(box.current?.scrollTop ?? 0)}>
        <div class="gantt-space" style={{ height: `${rows.length * ROW}px` }}>
          {visible.map((row, index) => (
            <GanttRow
              key={row.node.session_id}
              node={row.node}
              level={row.level}
              top={(begin + index) * ROW}
              spans={bySession.get(row.node.session_id) ?? []}
              scale={scale}
              until={moment ?? (isOpen ? until : last)}
              moment={moment}
              standing={state ? (state.sessions.get(row.node.session_id) ?? 'absent') : null}
              isSelected={row.node.session_id === selected}
              onHover={setHovered}
            />
          ))}
        </div>
      </div>
      <p class="hovered" role="status">
        {hovered
          ? aboutSpan(hovered)
          : 'Point at a bar to see what it was; click it to go to its place in the conversation.'}
      </p>
    </div>
  );
}

function bySessionOf(spans: Span[]): Map<string, Span[]> {
  const found = new Map<string, Span[]>();
  for (const span of spans) {
    const own = found.get(span.session_id);
    if (own) own.push(span);
    else found.set(span.session_id, [span]);
  }
  return found;
}

const TICKS = [0, 0.25, 0.5, 0.75, 1];

function Axis({ scale, from, to }: { scale: ReturnType<typeof timeScale>; from: number; to: number }) {
  return (
    <div class="axis" aria-hidden="true">
      {TICKS.map((at) => (
        <span key={at} class="tick num" style={{ left: `${at * 100}%` }}>
          {at === 0 ? clockTime(new Date(from).toISOString()) : `+${duration(scale.time(at) - from)}`}
        </span>
      ))}
      {scale.gaps.map((gap) => (
        <span
          key={gap.from}
          class="gap-word"
          style={{ left: `${(gap.at + gap.width / 2) * 100}%` }}
          title="idle"
        >
          {duration(gap.to - gap.from)}
        </span>
      ))}
      <span class="sr">{duration(to - from)}</span>
    </div>
  );
}
