import { signal } from '@preact/signals';
import { readInbox } from '../api/calls.js';
import type { InboxItem } from '../api/types.js';

/** Everything that waits for a person; null until it was read. */
export const inbox = signal<InboxItem[] | null>(null);

let reading = false;
let again = false;

/** At most one question at a time; what happens meanwhile is asked for once more afterwards. */
export async function refreshInbox(): Promise<void> {
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  try {
    do {
      again = false;
      inbox.value = await readInbox();
    } while (again);
  } catch {
    // The next event asks again; the connection says what is wrong.
  } finally {
    reading = false;
  }
}
