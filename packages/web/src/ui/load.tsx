import { useLayoutEffect, useState } from 'preact/hooks';
import { errorWords } from '../api/client.js';
import { Skeleton } from './skeleton.js';

export type Loaded<T> = { value: T; error: null } | { value: null; error: string | null };

/** What `read` gives, again whenever one of `inputs` changes. */
export function useLoaded<T>(read: () => Promise<T>, inputs: unknown[]): [Loaded<T>, () => void] {
  const [state, setState] = useState<Loaded<T>>({ value: null, error: null });
  const [again, setAgain] = useState(0);
  // Not after the next frame: what is asked for now is here sooner.
  useLayoutEffect(() => {
    let current = true;
    read().then(
      (value) => current && setState({ value, error: null }),
      (error: unknown) => current && setState({ value: null, error: errorWords(error) }),
    );
    return () => {
      current = false;
    };
  }, [...inputs, again]);
  return [state, () => setAgain((n) => n + 1)];
}

/** The value when it is there; else lines, or what went wrong. */
export function Shown<T>({
  of,
  children,
  rows = 6,
}: {
  of: Loaded<T>;
  children: (value: T) => preact.ComponentChildren;
  rows?: number;
}) {
  if (of.value !== null) return <>{children(of.value)}</>;
  if (of.error !== null) return <p class="problem">✕ {of.error}</p>;
  return <Skeleton rows={rows} />;
}
