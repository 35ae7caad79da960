import { useState } from 'preact/hooks';

export function CopyButton({ text, label = 'Copy' }: { text: () => string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(text()).catch(() => {});
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button type="button" class="quiet copy" onClick={copy} aria-label={label}>
      {done ? 'Copied' : 'Copy'}
    </button>
  );
}
