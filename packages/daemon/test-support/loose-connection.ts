import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Passes connections on to whatever stands behind it at the moment. */
export class LooseConnection implements AsyncDisposable {
  readonly #server = createServer();
  readonly #sockets = new Set<Socket>();

  static async open(target: () => string): Promise<LooseConnection> {
    const connection = new LooseConnection();
    connection.#server.on('connection', (socket) => {
      const behind = connect({ host: '127.0.0.1', port: Number(new URL(target()).port) });
      for (const [one, other] of [
        [socket, behind],
        [behind, socket],
      ] as const) {
        connection.#sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    await new Promise<void>((resolve) => connection.#server.listen(0, '127.0.0.1', resolve));
    return connection;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
