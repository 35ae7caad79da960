import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rename, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { LiveItem, LiveText } from '@amplifier/core';
import { LIVE_BACKLOG_BYTES } from '../defaults.js';
import { ownFolder, withShortName } from './live-folder.js';

/**
 * Lets other processes of the same user listen to what sessions of this one are saying, from the first word on. It keeps no process
 * alive, and one that cannot be listened to works all the same: what is stored is in the record.
 */
export function serveLiveText(live: LiveText, folder: string): () => Promise<void> {
  let opening: Promise<{ server: Server; path: string } | null> | undefined;
  let isClosed = false;
  live.onFirst(() => {
    if (!isClosed) opening = listen(live, folder).catch(() => null);
  });
  return async () => {
    isClosed = true;
    const opened = await opening;
    if (!opened) return;
    opened.server.close();
    await rm(opened.path, { force: true });
  };
}

async function listen(live: LiveText, folder: string): Promise<{ server: Server; path: string } | null> {
  if (!(await ownFolder(folder))) return null;
  const name = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const path = join(folder, `${name}.sock`);
  // It gets the name by which it is found when it listens: one that refuses a connection is taken for left behind.
  const draft = `${name}.new`;
  const server = createServer((socket) => {
    // Whoever listens has nothing to say.
    socket.unref().resume();
    tellLiveText(live, socket);
  });
  await withShortName(folder, async (short) => {
    server.listen(join(short, draft));
    await once(server, 'listening');
  });
  server.on('error', () => {});
  await rename(join(folder, draft), path);
  server.unref();
  return { server, path };
}

/** One line of JSON for each item. A listener that does not keep up misses pieces, and gets the whole again when it does. */
export function tellLiveText(live: LiveText, out: Writable): void {
  let isBehind = false;
  const send = (item: LiveItem) => out.write(`${JSON.stringify(item)}\n`);
  const stop = live.subscribe((item) => {
    if (isBehind) return;
    if (item.kind === 'end' || out.writableLength < LIVE_BACKLOG_BYTES) send(item);
    else isBehind = true;
  });
  out.on('drain', () => {
    if (!isBehind) return;
    isBehind = false;
    for (const item of live.snapshots()) send(item);
  });
  out.on('error', stop);
  out.on('close', stop);
  for (const item of live.snapshots()) send(item);
}
