import { signal } from '@preact/signals';

/** The composer shows the form of a delegation; the palette can ask for it, too. */
export const wantsDelegate = signal(false);
