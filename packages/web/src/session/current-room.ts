import { signal } from '@preact/signals';
import type { SessionRoom } from './session-room.js';

/** The tree that is open, for whatever is drawn inside it. */
export const currentRoom = signal<SessionRoom | null>(null);
