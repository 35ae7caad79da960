import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { SqlShelf } from '@amplifier/sessions';
import type { DaemonHome } from '../config.js';

/** Tokens and webhooks that an earlier version kept as files come into the record, once; the files are set aside. */
export async function adoptFiles({ home, state }: DaemonHome, shelf: SqlShelf): Promise<void> {
  for (const [kind, folder] of [
    ['token', join(home, 'tokens')],
    ['webhook', join(state, 'webhooks/hooks')],
    ['delivery', join(state, 'webhooks/deliveries')],
  ] as const) {
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (names === null) continue;
    for (const name of names.filter((each) => each.endsWith('.json'))) {
      const record = parse(await readFile(join(folder, name), 'utf8'));
      if (record) await shelf.add(kind, record.id, record);
    }
    await rename(folder, `${folder}.adopted`);
  }
}

/** Null for a file whose writer died. */
function parse(text: string): { id: string } | null {
  try {
    const record = JSON.parse(text);
    return typeof record?.id === 'string' ? record : null;
  } catch {
    return null;
  }
}
