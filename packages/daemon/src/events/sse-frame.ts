import type { SessionEvent } from '@amplifier/sessions';

/** The part of a frame that is the same for everybody; what goes before it is the id, which depends on the stream. */
export function eventFrame(event: SessionEvent): string {
  return `event: ${oneLine(event.name)}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** A frame of the stream's own: `synced`, `gap`, `reset`, `shutdown`, `revoked`. With an id it is also a place to go on from. */
export function signalFrame(name: string, data: object, id?: string): string {
  return `${id === undefined ? '' : idLine(id)}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function idLine(id: string | number): string {
  return `id: ${id}\n`;
}

/** A comment: it keeps proxies from closing a quiet connection, and shows either side that the other has gone. */
export const HEARTBEAT = ': heartbeat\n\n';

/** How long a client waits before it connects again, said once at the start. */
export function retryLine(ms: number): string {
  return `retry: ${ms}\n\n`;
}

/** A line break in a name would begin a field of its own. */
function oneLine(name: string): string {
  return name.replace(/[\r\n]+/g, ' ');
}
