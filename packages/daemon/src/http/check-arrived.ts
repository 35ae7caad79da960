import type { IncomingMessage } from 'node:http';
import { DaemonError } from '../daemon-error.js';

/** Throws if the client left before the whole body had arrived: what was read of it is a part, whatever the reader made of that. */
export function checkArrived({ complete, destroyed }: Pick<IncomingMessage, 'complete' | 'destroyed'>): void {
  if (complete || !destroyed) return;
  throw new DaemonError('CLIENT_CLOSED', 'The client closed the connection before its body had arrived.');
}
