import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Passes connections on to whatever stands behind it at the moment. */
export class Door implements AsyncDisposable {
  readonly #server = createServer();
  readonly #sockets = new Set<Socket>();

  static async open(target: () => string): Promise<Door> {
    const door = new Door();
    door.#server.on('connection', (socket) => {
      const behind = connect({ host: '127.0.0.1', port: Number(new URL(target()).port) });
      for (const [one, other] of [
        [socket, behind],
        [behind, socket],
      ] as const) {
        door.#sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    await new Promise<void>((resolve) => door.#server.listen(0, '127.0.0.1', resolve));
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
