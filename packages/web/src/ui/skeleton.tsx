import { useEffect, useState } from 'preact/hooks';

/** Lines in the place of what is to come: only when it takes longer than a person notices. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return null;
  return (
    <div class="skeleton" aria-busy="true">
      <span class="sr">Loading</span>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} class={`bar w${at % 4}`} />
      ))}
    </div>
  );
}
