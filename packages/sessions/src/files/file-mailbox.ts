import { readFile } from 'node:fs/promises';
import { isoTime } from '@amplifier/core';
import { FILE_MODE } from '../defaults.js';
import type { Letter, NewLetter } from '../mailbox.js';
import { SessionError } from '../session-error.js';
import { appendAll, closeFd, openFd, statFd, syncData } from './descriptor.js';
import { exists } from './folder.js';
import { type SessionPaths, sessionPaths } from './layout.js';
import { isMissing, onDisk } from './storage-error.js';
import type { StoreContext } from './store-context.js';
import { notFound } from './stored-session.js';
import { syncFolder } from './write-atomic.js';

/** Puts a letter into a session's mailbox. Any process may, at any time: each letter is one write at the end of a file. */
export async function sendLetter(store: StoreContext, letter: NewLetter): Promise<{ id: string }> {
  const paths = sessionPaths(store.folder, store.layout, letter.to);
  if (!exists(paths.events)) throw notFound(letter.to, paths.folder);
  const { id = `letter_${store.ulid()}`, from = null, reply_to = null } = letter;
  const time = isoTime(store.clock);
  const text = letterText({ id, to: letter.to, kind: letter.kind, from, reply_to, time, body: letter.body });
  await onDisk('send a letter to', paths.mailbox, async () => {
    const fd = await openFd(paths.mailbox, 'a', FILE_MODE);
    try {
      const { size } = await statFd(fd);
      await appendAll(fd, Buffer.from(`\n${text}\n`));
      await syncData(fd);
      if (size === 0) await syncFolder(paths.folder);
    } finally {
      await closeFd(fd);
    }
  });
  store.feed.publish({ s: letter.to, m: 1 });
  await store.feed.flush();
  return { id };
}

/** All letters of a mailbox, each id once. Half a line, left by a sender that died, was never acknowledged and is no letter. */
export async function readLetters(
  paths: SessionPaths,
  onSkipped: (message: string) => void,
): Promise<Letter[]> {
  let content: Buffer;
  try {
    content = await readFile(paths.mailbox);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
  const letters = new Map<string, Letter>();
  let start = 0;
  for (let newline = content.indexOf(10); newline >= 0; newline = content.indexOf(10, start)) {
    const text = content.toString('utf8', start, newline);
    start = newline + 1;
    if (text === '') continue;
    const letter = parseLetter(text);
    if (!letter) onSkipped(`${paths.mailbox}: skipped a letter that its sender did not finish writing.`);
    else if (!letters.has(letter.id)) letters.set(letter.id, { ...letter, cursor: start });
  }
  return [...letters.values()];
}

function letterText(letter: Omit<Letter, 'cursor'>): string {
  try {
    return JSON.stringify(letter);
  } catch (cause) {
    throw new SessionError(`The letter to ${letter.to} cannot be written as JSON.`, {
      code: 'INVALID_RECORD',
      cause,
    });
  }
}

function parseLetter(text: string): Omit<Letter, 'cursor'> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
