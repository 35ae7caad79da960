import { useMemo, useRef, useState } from 'preact/hooks';
import { type Stretch, timeScale } from './time-scale.js';

const PARTS = 120;

interface Props {
  times: Stretch[];
  from: number;
  to: number;
  range: [number, number] | null;
  onRange: (range: [number, number] | null) => void;
}

/** The whole time as a strip that shows how much went on; a range is picked by drawing over it. */
export function Overview({ times, from, to, range, onRange }: Props) {
  const strip = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<[number, number] | null>(null);
  const scale = useMemo(() => timeScale(times, from, Math.max(to, from + 1)), [times, from, to]);
  const heights = useMemo(() => density(times, (time) => scale.at(time)), [times, scale]);
  const place = (event: PointerEvent): number => {
    const box = strip.current?.getBoundingClientRect();
    return box ? Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) : 0;
  };
  const done = () => {
    if (!drawn) return;
    const [a, b] = [Math.min(...drawn), Math.max(...drawn)];
    setDrawn(null);
    onRange(b - a < 0.005 ? null : [scale.time(a), scale.time(b)]);
  };
  const shown = drawn ?? (range ? [scale.at(range[0]), scale.at(range[1])] : null);
  return (
    <div
      class="overview"
      ref={strip}
      onPointerDown={(event) => {
        strip.current?.setPointerCapture(event.pointerId);
        setDrawn([place(event), place(event)]);
      }}
      onPointerMove={(event) => drawn && setDrawn([drawn[0], place(event)])}
      onPointerUp={done}
      title="Drag to zoom; click to show everything"
    >
      <svg viewBox={`0 0 ${PARTS} 24`} preserveAspectRatio="none" aria-hidden="true">
        {heights.map((height, at) => (
          <rect key={at} x={at} y={24 - height * 24} width="0.9" height={height * 24} />
        ))}
      </svg>
      {shown ? (
        <div
          class="picked"
          style={{
            left: `${Math.min(...shown) * 100}%`,
            width: `${Math.abs((shown[1] ?? 0) - (shown[0] ?? 0)) * 100}%`,
          }}
        />
      ) : null}
    </div>
  );
}

function density(times: Stretch[], at: (time: number) => number): number[] {
  const counts = new Array<number>(PARTS).fill(0);
  for (const { from, to } of times) {
    const last = Math.min(Math.floor(at(to) * PARTS), PARTS - 1);
    for (let part = Math.max(0, Math.floor(at(from) * PARTS)); part <= last; part++)
      counts[part] = (counts[part] ?? 0) + 1;
  }
  const most = Math.max(...counts, 1);
  return counts.map((count) => Math.sqrt(count / most));
}
