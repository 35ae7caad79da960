import type { State } from '../live/state-of.js';

const SHAPES: Record<State, preact.JSX.Element> = {
  running: (
    <>
      <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width="1.5" />
      <circle cx="6" cy="6" r="2.25" fill="currentColor" class="breath" />
    </>
  ),
  waiting: <path d="M6 .8 11.2 6 6 11.2.8 6z" fill="currentColor" />,
  done: <path d="M2 6.4 4.9 9.3 10.2 3" fill="none" stroke="currentColor" stroke-width="1.8" />,
  failed: <path d="M2.5 2.5l7 7m0-7l-7 7" fill="none" stroke="currentColor" stroke-width="1.8" />,
  cancelled: (
    <>
      <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M3.5 6h5" stroke="currentColor" stroke-width="1.5" />
    </>
  ),
  interrupted: <path d="M3.8 2v8M8.2 2v8" stroke="currentColor" stroke-width="2" />,
  idle: <circle cx="6" cy="6" r="2" fill="currentColor" />,
};

/** Colour and shape; the word stands beside it or is for readers alone. */
export function StatusMark({ state, word }: { state: State; word?: string }) {
  return (
    <span class={`mark ${state}`}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        {SHAPES[state]}
      </svg>
      {word ? <span class="sr">{word}</span> : null}
    </span>
  );
}
