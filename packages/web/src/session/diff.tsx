import { plain } from '../ui/format.js';

/** More lines than this are more than a person reads in a row of a conversation. */
const MOST = 400;

/** What goes and what comes, line by line; lines that both sides begin or end with are shown once. */
export function Diff({ edits, path }: { edits: { old: string; new: string }[]; path: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
    <section class="diff" aria-label={`Changes in ${path}`} tabIndex={0}>
      <div class="diff-head">{plain(path)}</div>
      {edits.map((edit, at) => (
        <pre key={at}>
          {lines(edit).map(([mark, text], line) => (
            <div key={line} class={mark === '+' ? 'added' : mark === '-' ? 'removed' : 'same'}>
              {`${mark} ${plain(text)}`}
            </div>
          ))}
        </pre>
      ))}
    </section>
  );
}

type Line = [mark: '+' | '-' | ' ', text: string];

function lines(edit: { old: string; new: string }): Line[] {
  const before = edit.old === '' ? [] : edit.old.split('\n');
  const after = edit.new === '' ? [] : edit.new.split('\n');
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;
  const all: Line[] = [
    ...before.slice(0, head).map((text): Line => [' ', text]),
    ...before.slice(head, before.length - tail).map((text): Line => ['-', text]),
    ...after.slice(head, after.length - tail).map((text): Line => ['+', text]),
    ...(tail === 0 ? [] : before.slice(-tail).map((text): Line => [' ', text])),
  ];
  if (all.length <= MOST) return all;
  return [...all.slice(0, MOST), [' ', `… ${all.length - MOST} more lines`]];
}

/** A patch as git writes it. */
export function Patch({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
    <section class="diff" aria-label="Patch" tabIndex={0}>
      <pre>
        {text
          .split('\n')
          .slice(0, MOST * 4)
          .map((line, at) => (
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
    </section>
  );
}
