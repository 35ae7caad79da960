import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AmplifierError, type Clock, isoTime, quietClock, within } from '@amplifier/core';
import { checkTenant, openShelf, type SqlShelf } from '@amplifier/sessions';
import { DaemonError } from '../daemon-error.js';
import { TOKEN_LOOKUP_MS } from '../defaults.js';
import { bindDatabase } from '../tenants/bind-database.js';
import { OWNER } from './gate.js';
import type { Caller, Scope } from './scope.js';

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
  /** Whose it is, where teams share the deployment; else the operator's. */
  tenant?: string;
}

/** What a new token is to be. */
export type NewToken = Pick<TokenRecord, 'scope'> &
  Partial<Pick<TokenRecord, 'name' | 'kind' | 'expires_at' | 'made_by' | 'session_id' | 'tenant'>>;

const TOKEN = /^amp_([0-9a-f]{16})_[\w-]{43}$/;
const KIND = 'token';

/** A token, and a browser that it signed in: that browser can sign in others, which cannot. */
const MAX_MAKERS = 2;

/** A valid token, and what it was made with. */
interface Found {
  record: TokenRecord;
  makers: TokenRecord[];
}

/**
 * Tokens that may do less than the daemon's own, in the record, so that all daemons of it know them. They are looked up with every
 * request that carries one, so one that is revoked is refused from that moment on.
 */
export class ScopedTokens {
  readonly #record: string | SqlShelf;
  readonly #now: () => number;
  readonly #tenant: string | undefined;

  /** `record` is the shelf of the daemon, or the file of a record, which is then opened for each use. */
  constructor(record: string | SqlShelf, now: () => number = Date.now, tenant?: string) {
    this.#record = record;
    this.#now = now;
    this.#tenant = tenant;
  }

  /** Those of one tenant. */
  of(tenant: string): ScopedTokens {
    return new ScopedTokens(this.#record, this.#now, tenant);
  }

  /** The one moment at which the token itself is known. */
  async create(
    { scope, name = null, ...more }: NewToken,
    clock: Clock,
  ): Promise<{ token: string; record: TokenRecord }> {
    const id = randomBytes(8).toString('hex');
    const token = `amp_${id}_${randomBytes(32).toString('base64url')}`;
    const tenant = this.#tenant ?? more.tenant;
    const whose = tenant === undefined ? {} : { tenant: checkTenant(tenant) };
    const record = { id, name, scope, sha256: digest(token), created_at: isoTime(clock), ...more, ...whose };
    await this.#use((shelf) => shelf.put(KIND, id, record), tenant);
    return { token, record };
  }

  /** Oldest first. */
  async list(): Promise<TokenRecord[]> {
    const records = await this.#use((shelf) => shelf.all<TokenRecord>(KIND));
    return records.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  }

  async revoke(id: string): Promise<void> {
    if (!(await this.#use((shelf) => shelf.remove(KIND, id)))) throw missing(id);
  }

  /** Revokes it where it is still there. */
  async forget(id: string): Promise<void> {
    await this.#use((shelf) => shelf.remove(KIND, id));
  }

  /** The token that this one was made with; null for the daemon's own. */
  async makerOf(id: string): Promise<string | null> {
    return (await this.#use((shelf) => read(shelf, id)))?.made_by ?? null;
  }

  /** Whose token this is; null when it is none, or has been revoked. */
  async find(token: string): Promise<Caller | null> {
    const found = await this.#valid(token);
    return found && found.record.kind === undefined ? callerOf(found) : null;
  }

  /** Who is signed in by this cookie; null when nobody is any more. */
  async findBrowser(token: string): Promise<Caller | null> {
    const found = await this.#valid(token);
    if (found?.record.kind === undefined) return null;
    const { expires_at = null, session_id = null } = found.record;
    const from_browser = found.makers[0]?.kind === 'browser';
    return { ...callerOf(found), browser: { expires_at, from_browser, shared_session: session_id } };
  }

  async #valid(token: string): Promise<Found | null> {
    const id = TOKEN.exec(token)?.[1];
    if (id === undefined) return null;
    const looked = this.#use(async (shelf) => {
      const record = await read(shelf, id);
      if (!record) return null;
      const [given, wanted] = [Buffer.from(digest(token), 'hex'), Buffer.from(record.sha256, 'hex')];
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
      const makers = await this.#makers(shelf, record);
      return makers && { record, makers };
    });
    const answer = await within(looked, TOKEN_LOOKUP_MS, quietClock);
    if (answer.done) return answer.value;
    throw new DaemonError('OVERLOADED', 'The token could not be looked up in time. Try again.');
  }

  /**
   * The tokens and browsers that a token was made with, the nearest first. Null if it or one of them has expired or was revoked, or
   * there are more than `MAX_MAKERS`: every request looks them up.
   */
  async #makers(shelf: SqlShelf, token: TokenRecord): Promise<TokenRecord[] | null> {
    const makers: TokenRecord[] = [];
    for (let at: TokenRecord | null = token; at; ) {
      if (at.expires_at !== undefined && Date.parse(at.expires_at) <= this.#now()) return null;
      if (at.made_by === undefined) return makers;
      if (makers.length === MAX_MAKERS) return null;
      at = await read(shelf, at.made_by);
      if (at) makers.push(at);
    }
    return null;
  }

  async #use<T>(work: (shelf: SqlShelf) => Promise<T>, tenant = this.#tenant): Promise<T> {
    const bound = (shelf: SqlShelf) =>
      tenant === undefined ? shelf : shelf.on((database) => bindDatabase(database, tenant));
    if (typeof this.#record !== 'string') return work(bound(this.#record));
    await using shelf = await openShelf(this.#record);
    return await work(bound(shelf));
  }
}

function callerOf(found: Found): Caller {
  const { id, scope, tenant } = found.record;
  return { id, account: accountOf(found), scope, ...(tenant === undefined ? {} : { tenant }) };
}

/** The shared links of a token count together, but not as the token: their readers must not use up what it may do. */
function accountOf({ record, makers }: Found): string {
  const root = makers.at(-1) ?? record;
  // The daemon's own token has no record, so a browser without a maker is the daemon's.
  const account = root.kind === undefined ? root.id : OWNER.account;
  return record.kind === 'share' ? `${account} shared` : account;
}

function read(shelf: SqlShelf, id: string): Promise<TokenRecord | null> {
  return shelf.get<TokenRecord>(KIND, id);
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function missing(id: string): AmplifierError {
  return new AmplifierError(`There is no token ${id}. \`amplifierd token list\` lists the tokens.`, {
    code: 'TOKEN_NOT_FOUND',
  });
}
