import type { Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Span } from '../api/types.js';
import type { Tree } from '../live/tree.js';
import { clockTime, count, money, tokens } from '../ui/format.js';
import { momentAt, moments } from './replay.js';

/** Takes the tree back to any event: what had begun, what was at work, what it had cost. */
export function Replay({
  tree,
  spans,
  moment,
}: {
  tree: Tree;
  spans: Span[];
  moment: Signal<number | null>;
}) {
  const steps = useMemo(() => moments(tree.nodes.values(), spans), [spans, tree.nodes.size]);
  const last = steps.length - 1;
  const at = moment.value === null ? last : nearest(steps, moment.value);
  const time = steps[at] ?? 0;
  const state = momentAt(tree.nodes.values(), spans, time);
  const words = `${count(state.running, 'session')} at work, ${state.ended} ended, ${tokens(state.tokens)} tokens, ${money(state.cost_usd)}`;
  if (last < 1) return null;
  return (
    <div class="replay">
      <label for="replay">Replay</label>
      <input
        id="replay"
        type="range"
        min={0}
        max={last}
        value={at}
        aria-valuetext={`${clockTime(new Date(time).toISOString())}: ${words}`}
        onInput={(event) => {
          const to = Number(event.currentTarget.value);
          moment.value = to >= last ? null : (steps[to] ?? null);
        }}
      />
      <span class="num replay-words">
        {moment.value === null ? 'Now' : clockTime(new Date(time).toISOString())} · event {at + 1} of{' '}
        {steps.length} · {words}
      </span>
    </div>
  );
}

function nearest(steps: number[], time: number): number {
  const after = steps.findIndex((step) => step > time);
  return after < 0 ? steps.length - 1 : Math.max(0, after - 1);
}
