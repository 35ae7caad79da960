import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Connections, keyOf } from './connections.js';

it('replaces connections without a token, then idle ones, and refuses one when all are in use', async () => {
  const connections = new Connections(3, true);
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    accepted.push(socket);
    connections.add(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const clients: (Socket & { said: string })[] = [];
  const open = async () => {
    const client = Object.assign(connect(port, '127.0.0.1'), { said: '' });
    client.on('data', (chunk) => {
      client.said += chunk;
    });
    clients.push(client);
    const count = accepted.length + 1;
    await expect.poll(() => accepted.length).toBe(count);
    return accepted.at(-1) as Socket;
  };
  /** The ones that are open, in the order they came. */
  const kept = () => connections.sockets.map((socket) => accepted.indexOf(socket));
  const work = (socket: Socket) => {
    expect(connections.begin(socket)).toBe(1);
    connections.recognize(socket);
  };

  const first = await open();
  work(first);
  const second = await open();
  work(second);
  connections.end(keyOf(second));
  await open();
  // The third never sent a token; then the second has no request in progress.
  const fourth = await open();
  expect(kept()).toEqual([0, 1, 3]);
  work(fourth);
  const fifth = await open();
  expect(kept()).toEqual([0, 3, 4]);
  work(fifth);
  await open();
  expect(kept()).toEqual([0, 3, 4]);
  await expect.poll(() => clients[5]?.said).toContain('HTTP/1.1 503 Service Unavailable');
  await expect
    .poll(() => clients.map(({ closed }) => closed))
    .toEqual([false, true, true, false, false, true]);
  // A connection that is closed makes room.
  clients[0]?.destroy();
  await expect.poll(kept).toEqual([3, 4]);

  const closed = once(server, 'close');
  server.close();
  for (const client of clients) client.destroy();
  await closed;
});
