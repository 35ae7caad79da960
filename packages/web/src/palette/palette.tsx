import { useEffect, useRef, useState } from 'preact/hooks';
import { plain } from '../ui/format.js';
import { type Entry, entries } from './entries.js';
import { paletteIsOpen } from './open.js';

/** One field that reaches everything. */
export function Palette() {
  if (!paletteIsOpen.value) return null;
  return <OpenPalette />;
}

function OpenPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [{ found, of }, setFound] = useState<{ found: Entry[]; of: string | null }>({ found: [], of: null });
  const [at, setAt] = useState(0);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(
      () =>
        void entries(text).then((all) => {
          if (!current) return;
          setFound({ found: all, of: text });
          setAt(0);
        }),
      text === '' ? 0 : 60,
    );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text]);
  const close = () => {
    paletteIsOpen.value = false;
  };
  const take = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    entry.act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt(Math.min(Math.max(at + step, 0), found.length - 1));
      document.getElementById(`entry-${at + step}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      // What is listed may still be for fewer letters.
      if (of === text) take(found[at]);
      else void entries(text).then(([first]) => take(first));
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Find or do"
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="entries"
        aria-activedescendant={found[at] ? `entry-${at}` : undefined}
        aria-label="Find a view, session, agent or action"
        placeholder="Find a view, session, agent or action"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div id="entries" role="listbox" aria-label="Found">
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={`${entry.kind}:${entry.name}:${index}`}
            id={`entry-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            class="entry"
            onClick={() => take(entry)}
          >
            <span class="dim kind">{entry.kind}</span>
            <span class="name">{plain(entry.name)}</span>
            {entry.hint ? <span class="dim">{entry.hint}</span> : null}
          </div>
        ))}
        {found.length === 0 ? <p class="dim">Nothing matches.</p> : null}
      </div>
    </dialog>
  );
}
