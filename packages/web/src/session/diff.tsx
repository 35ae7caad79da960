import { diffArrays } from 'diff';
import { useMemo, useState } from 'preact/hooks';
import { count, plain } from '../ui/format.js';

/** Lines that are shown at once; the rest is a button away. */
const MOST = 400;

/** What goes and what comes, line by line; lines that stay are shown once. */
export function Diff({ edits, path }: { edits: { old: string; new: string }[]; path: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
    <section class="diff" aria-label={`Changes in ${path}`} tabIndex={0}>
      <div class="diff-head">{plain(path)}</div>
      {edits.map((edit, at) => (
        <EditLines key={at} edit={edit} />
      ))}
    </section>
  );
}

function EditLines({ edit }: { edit: { old: string; new: string } }) {
  const [shown, setShown] = useState(MOST);
  const all = useMemo(() => lines(edit), [edit.old, edit.new]);
  const left = all.length - shown;
  return (
    <>
      <pre>
        {all.slice(0, shown).map(([mark, text], line) => (
          <div key={line} class={mark === '+' ? 'added' : mark === '-' ? 'removed' : 'same'}>
            {`${mark} ${plain(text)}`}
          </div>
        ))}
      </pre>
      <MoreLines left={left} onMore={() => setShown(shown + MOST * 10)} />
    </>
  );
}

function MoreLines({ left, onMore }: { left: number; onMore: () => void }) {
  if (left <= 0) return null;
  return (
    <button type="button" onClick={onMore}>
      Show more ({count(left, 'line')} left)
    </button>
  );
}

type Line = [mark: '+' | '-' | ' ', text: string];

/** Texts with more changes than this are shown one after the other: comparing them would hold the page up. */
const MOST_CHANGES = 1_000;

function lines(edit: { old: string; new: string }): Line[] {
  const before = edit.old === '' ? [] : edit.old.split('\n');
  const after = edit.new === '' ? [] : edit.new.split('\n');
  const parts = diffArrays(before, after, { maxEditLength: MOST_CHANGES }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  return parts.flatMap(({ value, added, removed }) =>
    value.map((text): Line => [added ? '+' : removed ? '-' : ' ', text]),
  );
}

/** A patch as git writes it. */
export function Patch({ text }: { text: string }) {
  const [shown, setShown] = useState(MOST * 4);
  const all = text.split('\n');
  const left = all.length - shown;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
    <section class="diff" aria-label="Patch" tabIndex={0}>
      <pre>
        {all.slice(0, shown).map((line, at) => (
          <div
            key={at}
            class={
              /^\+(?!\+\+)/.test(line)
                ? 'added'
                : /^-(?!--)/.test(line)
                  ? 'removed'
                  : /^(diff|@@|index|---|\+\+\+)/.test(line)
                    ? 'diff-head'
                    : 'same'
            }
          >
            {plain(line) || ' '}
          </div>
        ))}
      </pre>
      <MoreLines left={left} onMore={() => setShown(shown + MOST * 10)} />
    </section>
  );
}
