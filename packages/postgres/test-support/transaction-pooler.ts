import { connect, createServer, type Socket } from 'node:net';

/** As much of a pooler in transaction mode as shows: one connection of the server answers whichever client asks. */
export async function transactionPooler(
  port: number,
  database: string,
): Promise<AsyncDisposable & { port: number }> {
  const startup = Buffer.from(`user\0postgres\0database\0${database}\0\0`);
  const hello = Buffer.alloc(8 + startup.length);
  hello.writeInt32BE(hello.length, 0);
  hello.writeInt32BE(196_608, 4);
  startup.copy(hello, 8);
  const far = connect(port, '127.0.0.1');
  far.write(hello);
  await new Promise<void>((resolve) => far.once('data', () => resolve()));
  const clients = new Set<Socket>();
  let asking: Socket | null = null;
  far.on('data', (data) => asking?.write(data));
  const server = createServer((near) => {
    clients.add(near);
    near.on('error', () => {});
    near.once('data', () => {
      // AuthenticationOk, a BackendKeyData of its own, ReadyForQuery.
      const key = Buffer.from([0x4b, 0, 0, 0, 12, 0, 0, 0, 7, 0, 0, 0, 7]);
      const ok = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
      near.write(Buffer.concat([ok, key, Buffer.from([0x5a, 0, 0, 0, 5, 0x49])]));
      near.on('data', (data) => {
        if (data[0] === 0x58) return;
        asking = near;
        far.write(data);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of [...clients, far]) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
