import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { isFromDescendant } from './own-descendant.js';

it.runIf(process.platform === 'linux')(
  'a connection counts as one of a process the daemon started where that cannot be looked up',
  async () => {
    await using folder = await TempWorkspace.create({ 'no-folder': '' });
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const clients: Socket[] = [];
    const connection = async () => {
      const arrived = once(server, 'connection');
      clients.push(connect((server.address() as AddressInfo).port, '127.0.0.1'));
      return (await arrived)[0] as Socket;
    };
    try {
      // There is something where the system tells of its processes, and it cannot be read.
      const unread = await connection();
      expect(await isFromDescendant(unread, folder.resolve('no-folder'))).toBe(true);
      // Once told, it stays so for this connection.
      expect(await isFromDescendant(unread)).toBe(true);
      // This process itself is none that it started.
      expect(await isFromDescendant(await connection())).toBe(false);
    } finally {
      for (const client of clients) client.destroy();
      server.close();
    }
  },
);
