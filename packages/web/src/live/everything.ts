import type { SessionEvent } from '../api/types.js';
import { follow } from './follow.js';

type Listener = (event: SessionEvent) => void;

const listeners = new Set<Listener>();
let stop: (() => void) | null = null;

/** Hears of what happens in any session while somebody listens; all share one stream. `null` says: look at everything anew. */
export function onAnything(listener: (event: SessionEvent | null) => void): () => void {
  listeners.add(listener);
  stop ??= follow(`/events?names=${NAMES.join(',')}`, null, {
    event: (event) => {
      for (const each of listeners) each(event);
    },
    synced: () => tellAll(),
    reset: () => tellAll(),
  });
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stop?.();
    stop = null;
  };
}

function tellAll(): void {
  for (const each of listeners) (each as (event: SessionEvent | null) => void)(null);
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
