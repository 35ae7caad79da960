import type { LiveMessage as Message } from '@amplifier/daemon/client';
import { useRef } from 'preact/hooks';
import { plain } from '../ui/format.js';
import { Markdown } from '../ui/markdown.js';
import { Reasoning } from './message-view.js';
import { StablePieces } from './stable-pieces.js';

/** Above this, Markdown made anew with every piece would hold the page up. */
const MOST = 64 * 1024;

/** Text while it is written: it is not stored yet, and looks like it. */
export function LiveMessage({ message }: { message: Message }) {
  const { text, reasoning } = message;
  const pieces = useRef(new StablePieces());
  return (
    <article class="message assistant live" aria-busy="true">
      {reasoning ? <Reasoning text={reasoning} open={text === ''} /> : null}
      {text.length > MOST ? (
        <pre class="plain">{plain(text.slice(-MOST))}</pre>
      ) : (
        pieces.current.of(text).map((piece, at) => <Markdown key={at} text={piece} />)
      )}
      <span class="caret" aria-hidden="true" />
      <span class="sr">is being written</span>
    </article>
  );
}
