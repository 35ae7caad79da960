import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AmplifierError, type Clock, isoTime } from '@amplifier/core';
import { FILE_MODE, FOLDER_MODE } from '../defaults.js';
import type { Caller, Scope } from '../http/scope.js';

/** What is kept of a token: enough to know it again, not enough to use it. */
export interface TokenRecord {
  id: string;
  name: string | null;
  scope: Scope;
  sha256: string;
  created_at: string;
  /** A browser that is signed in, or a link that shares one tree. Such a token counts as a cookie only. */
  kind?: 'browser' | 'share';
  expires_at?: string;
  /** The token that it was made with: where that is revoked, so is this. */
  made_by?: string;
  /** The only session that it shows, with what is below it. */
  session_id?: string;
}

/** What a new token is to be. */
export type NewToken = Pick<TokenRecord, 'scope'> &
  Partial<Pick<TokenRecord, 'name' | 'kind' | 'expires_at' | 'made_by' | 'session_id'>>;

const TOKEN = /^amp_([0-9a-f]{16})_[\w-]{43}$/;
const ID = /^[0-9a-f]{16}$/;

/**
 * Tokens that may do less than the daemon's own, one file each in `<home>/tokens`. The files are looked at with every
 * request that carries such a token, so one that is revoked is refused from that moment on.
 */
export class ScopedTokens {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #known = new Map<string, { stamp: string; record: TokenRecord }>();

  constructor(home: string, now: () => number = Date.now) {
    this.#folder = join(home, 'tokens');
    this.#now = now;
  }

  /** The one moment at which the token itself is known. */
  async create(
    { scope, name = null, ...more }: NewToken,
    clock: Clock,
  ): Promise<{ token: string; record: TokenRecord }> {
    const id = randomBytes(8).toString('hex');
    const token = `amp_${id}_${randomBytes(32).toString('base64url')}`;
    const record = { id, name, scope, sha256: digest(token), created_at: isoTime(clock), ...more };
    await mkdir(this.#folder, { recursive: true, mode: FOLDER_MODE });
    const file = await open(this.#path(id), 'wx', FILE_MODE);
    try {
      await file.writeFile(`${JSON.stringify(record)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    return { token, record };
  }

  /** Oldest first. */
  async list(): Promise<TokenRecord[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const records = await Promise.all(
      names
        .filter((name) => ID.test(name.replace(/\.json$/, '')))
        .map(async (name) => JSON.parse(await readFile(join(this.#folder, name), 'utf8')) as TokenRecord),
    );
    return records.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  }

  async revoke(id: string): Promise<void> {
    try {
      if (!ID.test(id)) throw missing(id);
      await rm(this.#path(id));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw missing(id);
      throw error;
    }
  }

  /** Revokes it where it is still there. */
  async forget(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  /** The token that this one was made with; null for the daemon's own. */
  async makerOf(id: string): Promise<string | null> {
    return this.#read(id)?.made_by ?? null;
  }

  /** Whose token this is; null when it is none, or has been revoked. */
  find(token: string): Caller | null {
    const record = this.#valid(token);
    return record && record.kind === undefined ? { id: record.id, scope: record.scope } : null;
  }

  /** Who is signed in by this cookie; null when nobody is any more. */
  findBrowser(token: string): Caller | null {
    const record = this.#valid(token);
    if (record?.kind === undefined) return null;
    const { id, scope, expires_at = null, session_id = null } = record;
    return { id, scope, browser: { expires_at, shared_session: session_id } };
  }

  #valid(token: string): TokenRecord | null {
    const id = TOKEN.exec(token)?.[1];
    const record = id === undefined ? null : this.#read(id);
    if (!record) return null;
    const [given, wanted] = [Buffer.from(digest(token), 'hex'), Buffer.from(record.sha256, 'hex')];
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
    return this.#counts(record) ? record : null;
  }

  /** Neither over, nor made with a token that was revoked since. */
  #counts({ expires_at, made_by }: TokenRecord): boolean {
    if (expires_at !== undefined && Date.parse(expires_at) <= this.#now()) return false;
    if (made_by === undefined) return true;
    const maker = ID.test(made_by) ? this.#read(made_by) : null;
    return maker !== null && this.#counts(maker);
  }

  #read(id: string): TokenRecord | null {
    const stats = statSync(this.#path(id), { throwIfNoEntry: false });
    if (!stats) {
      this.#known.delete(id);
      return null;
    }
    const stamp = `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
    const known = this.#known.get(id);
    if (known?.stamp === stamp) return known.record;
    const record = parseRecord(readFileSync(this.#path(id), 'utf8'));
    if (record) this.#known.set(id, { stamp, record });
    return record;
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

/** Null for a file whose writer died: its token was never shown. */
function parseRecord(text: string): TokenRecord | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function missing(id: string): AmplifierError {
  return new AmplifierError(`There is no token ${id}. \`amplifierd token list\` shows which there are.`, {
    code: 'TOKEN_NOT_FOUND',
  });
}
