import { useState } from 'preact/hooks';
import { bytes, plain } from './format.js';
import { Markdown } from './markdown.js';

/** Above this Markdown takes longer to read than to load: it is shown as it is written. */
const MOST_MARKDOWN = 64 * 1024;
const PIECE = 64 * 1024;

/** Text of any length: Markdown when it is short, else plain, and so much at a time. */
export function LongText({ text, mono = false }: { text: string; mono?: boolean }) {
  const [shown, setShown] = useState(PIECE);
  if (!mono && text.length <= MOST_MARKDOWN) return <Markdown text={text} />;
  const left = text.length - shown;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key */}
      <pre class="plain" dir="auto" tabIndex={0}>
        {plain(text.slice(0, shown))}
      </pre>
      {left > 0 ? (
        <button type="button" onClick={() => setShown(shown + PIECE * 4)}>
          Show more ({bytes(left)} left)
        </button>
      ) : null}
    </>
  );
}
