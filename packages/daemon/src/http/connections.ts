import type { Socket } from 'node:net';

interface Connection {
  socket: Socket;
  /** A request of it had a valid token or cookie. */
  isKnown: boolean;
  requests: number;
}

const REFUSAL = JSON.stringify({
  code: 'OVERLOADED',
  message: 'The daemon has as many connections as its limit of open files allows. Try again.',
});
const RESPONSE = `HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: ${REFUSAL.length}\r\n\r\n${REFUSAL}`;

/**
 * The open connections of a server, at most `max`. A new one replaces the oldest that never sent a valid token, then the one with a
 * token that has been without a request for the longest time. If all are in use, the new one is refused.
 */
export class Connections {
  readonly #max: number;
  readonly #canAnswer: boolean;
  /** By addresses and port: a TLS socket has those of the socket below it. */
  readonly #open = new Map<string, Connection>();
  readonly #unknown = new Set<string>();
  readonly #idle = new Set<string>();

  /** `canAnswer`: a refusal can be written as text, which it cannot before a TLS handshake. */
  constructor(max: number, canAnswer: boolean) {
    this.#max = max;
    this.#canAnswer = canAnswer;
  }

  get sockets(): Socket[] {
    return [...this.#open.values()].map(({ socket }) => socket);
  }

  add(socket: Socket): void {
    const key = keyOf(socket);
    if (this.#open.size >= this.#max && !this.#closeOne()) {
      socket.on('error', () => {});
      if (this.#canAnswer) socket.end(RESPONSE, () => socket.destroy());
      else socket.destroy();
      return;
    }
    const connection = { socket, isKnown: false, requests: 0 };
    this.#open.set(key, connection);
    this.#unknown.add(key);
    socket.once('close', () => {
      if (this.#open.get(key) === connection) this.#remove(key);
    });
  }

  /** Counts a request, and returns how many of the connection are in progress. */
  begin(socket: Socket): number {
    const key = keyOf(socket);
    const connection = this.#open.get(key);
    if (!connection) return 1;
    this.#idle.delete(key);
    return ++connection.requests;
  }

  /** Must be called once for each `begin`, with the key at that time: a closed socket has none. */
  end(key: string): void {
    const connection = this.#open.get(key);
    if (connection && --connection.requests === 0 && connection.isKnown) this.#idle.add(key);
  }

  /** The request in progress has a valid token. */
  recognize(socket: Socket): void {
    const key = keyOf(socket);
    const connection = this.#open.get(key);
    if (connection) connection.isKnown = true;
    this.#unknown.delete(key);
  }

  #closeOne(): boolean {
    for (const keys of [this.#unknown, this.#idle])
      for (const key of keys) {
        this.#open.get(key)?.socket.destroy();
        this.#remove(key);
        return true;
      }
    return false;
  }

  #remove(key: string): void {
    this.#open.delete(key);
    this.#unknown.delete(key);
    this.#idle.delete(key);
  }
}

export function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
