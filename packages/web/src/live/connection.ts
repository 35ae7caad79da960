import { signal } from '@preact/signals';

/** When the last stream was lost, until one is there again. Null: connected, or nothing to follow yet. */
export const lostSince = signal<number | null>(null);

const open = new Set<object>();
const down = new Set<object>();

/** Each stream says how it stands; the page is connected when none of them is down. */
export function streamIs(stream: object, state: 'up' | 'down' | 'closed'): void {
  if (state === 'closed') {
    open.delete(stream);
    down.delete(stream);
  } else {
    open.add(stream);
    if (state === 'down') down.add(stream);
    else down.delete(stream);
  }
  if (down.size === 0) lostSince.value = null;
  else lostSince.value ??= Date.now();
}
