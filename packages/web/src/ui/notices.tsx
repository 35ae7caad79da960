import { signal } from '@preact/signals';
import { errorWords } from '../api/client.js';

interface Notice {
  id: number;
  text: string;
  bad: boolean;
}

const notices = signal<Notice[]>([]);
let last = 0;

/** Says a sentence in the corner, and to readers. */
export function say(text: string, bad = false): void {
  const id = ++last;
  notices.value = [...notices.value.slice(-2), { id, text, bad }];
  setTimeout(() => dismiss(id), bad ? 12_000 : 5_000);
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Shows the effect of an action at once, and takes it back with a sentence when the server refuses. */
export async function attempt<T>(act: () => Promise<T>, undo: () => void = () => {}): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    undo();
    say(errorWords(error), true);
    return undefined;
  }
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, bad }) => (
        <div key={id} class={bad ? 'notice bad' : 'notice'}>
          <span>
            {bad ? '✕ ' : ''}
            {text}
          </span>
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
