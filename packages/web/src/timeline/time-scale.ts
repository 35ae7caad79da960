/** A stretch of time in which something happened. */
export interface Stretch {
  from: number;
  to: number;
}

interface Gap extends Stretch {
  /** Where it stands between 0 and 1. */
  at: number;
  width: number;
}

/** From a moment to a place between 0 and 1, and back. */
export interface TimeScale {
  at(time: number): number;
  time(at: number): number;
  gaps: Gap[];
}

/** An idle gap of any length takes this part of the width. */
const GAP_WIDTH = 0.03;
/** A gap is worth pressing together when it is longer than this part of the time in which something happened. */
const WORTH = 0.08;
const MOST_GAPS = 10;

/** The stretches joined where they touch. */
function busyTimes(stretches: readonly Stretch[]): Stretch[] {
  const busy: Stretch[] = [];
  for (const each of [...stretches].sort((a, b) => a.from - b.from)) {
    const last = busy.at(-1);
    if (last && each.from <= last.to) last.to = Math.max(last.to, each.to);
    else busy.push({ ...each });
  }
  return busy;
}

/** Time as a straight line, but for long idle gaps: hours in which a tree waited must not hide the minutes in which it worked. */
export function timeScale(stretches: readonly Stretch[], from: number, to: number): TimeScale {
  const inside = busyTimes(stretches)
    .map((each) => ({ from: Math.max(each.from, from), to: Math.min(each.to, to) }))
    .filter((each) => each.to > each.from);
  const worked = inside.reduce((sum, each) => sum + each.to - each.from, 0);
  const idle = idleBetween(inside, from, to)
    .filter((each) => each.to - each.from > worked * WORTH && each.to - each.from > 1_000)
    .sort((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, MOST_GAPS)
    .sort((a, b) => a.from - b.from);
  const pressed = idle.reduce((sum, each) => sum + each.to - each.from, 0);
  const straight = Math.max(to - from - pressed, 1);
  const share = 1 - idle.length * GAP_WIDTH;
  const gaps: Gap[] = [];
  let before = 0;
  for (const each of idle) {
    const at = ((each.from - from - before) / straight) * share + gaps.length * GAP_WIDTH;
    gaps.push({ ...each, at, width: GAP_WIDTH });
    before += each.to - each.from;
  }
  const at = (time: number): number => {
    let skipped = 0;
    let passed = 0;
    for (const gap of gaps) {
      if (time >= gap.to) {
        skipped += gap.to - gap.from;
        passed++;
      } else if (time > gap.from) return gap.at + ((time - gap.from) / (gap.to - gap.from)) * gap.width;
    }
    return ((time - from - skipped) / straight) * share + passed * GAP_WIDTH;
  };
  const time = (place: number): number => {
    let passed = 0;
    let skipped = 0;
    for (const gap of gaps) {
      if (place >= gap.at + gap.width) {
        passed++;
        skipped += gap.to - gap.from;
      } else if (place > gap.at) return gap.from + ((place - gap.at) / gap.width) * (gap.to - gap.from);
    }
    return from + ((place - passed * GAP_WIDTH) / share) * straight + skipped;
  };
  return { at, time, gaps };
}

function idleBetween(busy: readonly Stretch[], from: number, to: number): Stretch[] {
  const idle: Stretch[] = [];
  let last = from;
  for (const each of busy) {
    if (each.from > last) idle.push({ from: last, to: each.from });
    last = each.to;
  }
  if (to > last) idle.push({ from: last, to });
  return idle;
}
