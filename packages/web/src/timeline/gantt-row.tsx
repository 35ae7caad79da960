import type { Span, TreeNode } from '../api/types.js';
import { stateOf } from '../live/state-of.js';
import { go, sessionPath } from '../route/route.js';
import { plain } from '../ui/format.js';
import { StatusMark } from '../ui/status-mark.js';
import { aboutSpan } from './about-span.js';
import type { TimeScale } from './time-scale.js';

/** Bars of a row that are drawn; more than that are thinner than a pixel anyway. */
const MOST = 400;
const HEIGHT: Record<Span['kind'], [y: number, height: number]> = {
  turn: [4, 20],
  model: [8, 12],
  tool: [11, 6],
  wait: [8, 12],
};

interface Props {
  node: TreeNode;
  level: number;
  top: number;
  spans: Span[];
  scale: TimeScale;
  until: number;
  moment: number | null;
  standing: 'running' | 'waiting' | 'ended' | 'absent' | null;
  isSelected: boolean;
  onHover: (span: Span | null) => void;
}

export function GanttRow({
  node,
  level,
  top,
  spans,
  scale,
  until,
  moment,
  standing,
  isSelected,
  onHover,
}: Props) {
  const state =
    standing === null || standing === 'ended' ? stateOf(node) : standing === 'absent' ? 'idle' : standing;
  const drawn = spans.filter(({ start }) => moment === null || Date.parse(start) <= moment).sort(outerFirst);
  return (
    <div
      class={`gantt-row ${isSelected ? 'selected' : ''} ${standing === 'absent' ? 'absent' : ''}`}
      style={{ transform: `translateY(${top}px)`, '--level': Math.min(level, 8) }}
    >
      <a class="gantt-name" href={sessionPath(node.session_id)}>
        <StatusMark state={state} word={state} /> {plain(node.agent ?? node.title ?? 'session')}
      </a>
      <svg
        class="bars"
        role="img"
        aria-label={`${spans.length} bars of ${node.agent ?? 'the session'}`}
        preserveAspectRatio="none"
      >
        {scale.gaps.map((gap) => (
          <rect
            key={gap.from}
            class="gap"
            x={`${gap.at * 100}%`}
            width={`${gap.width * 100}%`}
            y="0"
            height="28"
          />
        ))}
        {drawn.slice(0, MOST).map((span) => (
          <Bar
            key={`${span.kind}${span.seq}`}
            span={span}
            scale={scale}
            until={until}
            moment={moment}
            onHover={onHover}
          />
        ))}
      </svg>
    </div>
  );
}

function Bar({
  span,
  scale,
  until,
  moment,
  onHover,
}: {
  span: Span;
  scale: TimeScale;
  until: number;
  moment: number | null;
  onHover: (span: Span) => void;
}) {
  const end = span.end === null ? until : Date.parse(span.end);
  const from = Math.min(Math.max(scale.at(Date.parse(span.start)), 0), 1);
  const to = Math.min(Math.max(scale.at(moment === null ? end : Math.min(end, moment)), 0), 1);
  if (to <= 0 || from >= 1) return null;
  const [y, height] = HEIGHT[span.kind];
  const open = () =>
    go(sessionPath(span.session_id, span.kind === 'tool' ? span.start : (span.end ?? span.start)));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the name of the row leads to the session by key
    <rect
      class={`bar-${span.kind} ${span.ok === false ? 'bad' : ''} ${span.end === null ? 'still' : ''}`}
      x={`${from * 100}%`}
      y={y}
      width={`${Math.max(to - from, 0.0015) * 100}%`}
      height={height}
      rx="2"
      onMouseEnter={() => onHover(span)}
      onClick={open}
    >
      <title>{aboutSpan(span)}</title>
    </rect>
  );
}

function outerFirst(a: Span, b: Span): number {
  return Number(b.kind === 'turn') - Number(a.kind === 'turn') || a.seq - b.seq;
}
