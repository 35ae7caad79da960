import { once } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { LiveItem, LiveText } from '@amplifier/core';
import { LIVE_LINE_BYTES, LIVE_LOOK_MS } from '../defaults.js';
import { ownFolder, withShortName } from './live-folder.js';

const SOCKET = /^[\w-]+\.sock$/;

/** Listens to all other processes that share a record, and puts what they say into `live`. The returned function stops. */
export function followLiveText(
  folder: string,
  live: LiveText,
  isOwn: (session_id: string) => boolean,
): () => void {
  const sockets = new Map<string, Socket>();
  let watcher: FSWatcher | undefined;
  let poll: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async () => {
    const names = await readdir(folder).catch(() => []);
    for (const name of names) {
      if (isStopped || sockets.has(name) || !SOCKET.test(name)) continue;
      const socket = new Socket();
      sockets.set(name, socket);
      listen(socket, join(folder, name), live, isOwn, () => sockets.delete(name));
      void connectTo(socket, folder, name);
    }
  };
  void ownFolder(folder)
    .then((isOurs) => {
      if (!isOurs || isStopped) return;
      // The clock looks, too, where a watch fails or cannot be had.
      poll = setInterval(() => void look(), LIVE_LOOK_MS).unref();
      void look();
      watcher = watch(folder, { persistent: false }, () => void look());
      watcher.on('error', () => watcher?.close());
    })
    .catch(() => {});
  return () => {
    isStopped = true;
    clearInterval(poll);
    watcher?.close();
    for (const socket of sockets.values()) socket.destroy();
  };
}

/** How it ends is told by the socket itself. */
async function connectTo(socket: Socket, folder: string, name: string): Promise<void> {
  await withShortName(folder, async (short) => {
    socket.connect(join(short, name));
    await once(socket, 'connect');
  }).catch((error: Error) => socket.destroy(error));
}

function listen(
  socket: Socket,
  path: string,
  live: LiveText,
  isOwn: (session_id: string) => boolean,
  onClosed: () => void,
): void {
  const { take, end } = hearLiveText(live, isOwn);
  socket.setEncoding('utf8').unref();
  socket.on('data', (text: unknown) => {
    if (!take(String(text))) socket.destroy();
  });
  // A process that was killed leaves its socket behind.
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'ECONNREFUSED') void rm(path, { force: true });
  });
  socket.on('close', () => {
    end();
    onClosed();
  });
}

/** Puts what another process says, one line of JSON for each item, into `live`. */
export function hearLiveText(live: LiveText, isOwn: (session_id: string) => boolean) {
  const open = new Map<string, LiveItem>();
  let rest = '';
  return {
    /** False when that is no way to talk. */
    take(text: string): boolean {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LIVE_LINE_BYTES) return false;
      for (const line of lines) {
        const item = parse(line);
        // What this process says itself it need not hear from others.
        if (!item || isOwn(item.session_id)) continue;
        if (item.kind === 'end') open.delete(item.session_id);
        else open.set(item.session_id, item);
        live.receive(item);
      }
      return true;
    },
    /** It is gone, and with it what it had not finished. */
    end(): void {
      for (const { session_id, root_id, message_id } of open.values())
        live.receive({ kind: 'end', session_id, root_id, message_id });
      open.clear();
    },
  };
}

function parse(line: string): LiveItem | null {
  try {
    const item = JSON.parse(line);
    return typeof item?.session_id === 'string' && typeof item.message_id === 'string' ? item : null;
  } catch {
    return null;
  }
}
