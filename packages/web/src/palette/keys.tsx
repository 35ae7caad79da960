import { useEffect, useRef } from 'preact/hooks';
import { go, place, sessionPath, timelinePath } from '../route/route.js';
import { currentRoom } from '../session/current-room.js';
import { keysAreOpen, paletteIsOpen } from './open.js';

const KEYS: [string, [keys: string, does: string][]][] = [
  [
    'Everywhere',
    [
      ['Ctrl K, ⌘ K', 'find a view, session, agent or action'],
      ['g n, g a, g s, g e', 'go to Now, Agents, Spend, Settings'],
      ['?', 'these keys'],
      ['Esc', 'close what floats'],
    ],
  ],
  [
    'Now',
    [
      ['j, k', 'next and previous of what waits'],
      ['1 to 9', 'answer with that option'],
      ['Enter', 'open it'],
    ],
  ],
  [
    'Session',
    [
      ['↑ ↓ ← →', 'move in the tree, fold and unfold'],
      ['Enter', 'open the session'],
      ['c', 'write in the composer; Enter sends, Shift Enter breaks the line'],
      ['t', 'timeline and back'],
    ],
  ],
  [
    'Timeline',
    [
      ['+ −', 'zoom in, zoom out'],
      ['← →', 'move along'],
      ['Esc', 'all of it'],
    ],
  ],
];

/** The keys of the whole application, and the list of them. */
export function Keys() {
  useEffect(() => {
    let leader = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        paletteIsOpen.value = !paletteIsOpen.value;
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isWriting(event.target) || paletteIsOpen.value || keysAreOpen.value) return;
      if (event.key === '?') {
        keysAreOpen.value = true;
      } else if (event.key === 'g') {
        leader = event.timeStamp;
      } else if (event.timeStamp - leader < 1_500 && event.key in ROOMS) {
        leader = 0;
        go(ROOMS[event.key] ?? '/');
      } else if (event.key === 't') toggleTimeline();
      else if (event.key === 'c') {
        const field = document.getElementById('composer');
        if (!field) return;
        event.preventDefault();
        field.focus();
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return keysAreOpen.value ? <KeyList /> : null;
}

const ROOMS: Record<string, string> = { n: '/', a: '/agents', s: '/spend', e: '/settings' };

function toggleTimeline(): void {
  const { room, id } = place.value;
  const selected = currentRoom.value?.selected.value ?? id;
  if (!selected) return;
  if (room === 'session') go(timelinePath(selected));
  else if (room === 'timeline') go(sessionPath(selected));
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

function KeyList() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = () => {
    keysAreOpen.value = false;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      class="keys"
      aria-label="Keys"
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div class="row">
        <h2>Keys</h2>
        <span class="grow" />
        <button type="button" class="quiet" onClick={close} aria-label="Close">
          ×
        </button>
      </div>
      {KEYS.map(([room, keys]) => (
        <section key={room}>
          <h3>{room}</h3>
          <dl>
            {keys.map(([key, does]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </dialog>
  );
}
