import type { ApiEvent } from '@amplifier/daemon/client';
import { follow } from './follow.js';

/** Takes an event; null: look at everything anew. */
type Listener = (event: ApiEvent | null) => void;

const listeners = new Set<Listener>();
let stop: (() => void) | null = null;

/** Hears of what happens in any session; all listeners share one stream. */
export function onAnything(listener: Listener): () => void {
  listeners.add(listener);
  const tell: Listener = (event) => {
    for (const each of listeners) each(event);
  };
  stop ??= follow(
    { names: NAMES, deltas: false },
    {
      take: (item) => {
        if (item.kind === 'event') tell(item);
      },
      synced: () => tell(null),
      reset: () => tell(null),
    },
  );
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stop?.();
    stop = null;
  };
}

/** Only what changes how something stands: the rest is for whoever looks at one tree. */
const NAMES = ['session:*', 'run:*', 'question:*', 'approval:*', 'delegate:*', 'llm:response'];

/** Calls `act` at once, and then at most every `ms`, however often it is asked for. */
export function paced(act: () => void, ms: number): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let again = false;
  const run = (): void => {
    again = false;
    act();
    timer = setTimeout(() => {
      timer = null;
      if (again) run();
    }, ms);
  };
  return () => {
    if (timer === null) run();
    else again = true;
  };
}
