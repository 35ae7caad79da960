import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Place } from '../route/route.js';
import { SessionRoom } from './session-room.js';

/** The tree that is open, for whatever is drawn inside it. */
export const currentRoom = signal<SessionRoom | null>(null);

/** The room of the tree at a place. Another session of the same tree, or its timeline, keeps it. */
export function useRoom({ id, query }: Place): SessionRoom | null {
  const [room, setRoom] = useState<SessionRoom | null>(currentRoom.value);
  const at = query.get('at');
  // Not after the next frame: what is asked for now is here sooner.
  useLayoutEffect(() => {
    if (id === null) return;
    const known = currentRoom.value;
    if (known?.tree?.nodes.has(id)) {
      known.select(id, at);
      setRoom(known);
      return;
    }
    known?.close();
    const made = new SessionRoom(id);
    currentRoom.value = made;
    setRoom(made);
    void made.start(id, at);
  }, [id, at]);
  return room;
}
