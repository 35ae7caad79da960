import type {
  SessionMetadata,
  SessionOutline,
  SessionQuery,
  SessionStore,
  SessionSummary,
  SessionVersion,
} from '@amplifier/sessions';
import { ByteCache } from '../byte-cache.js';
import { PAGE_BYTES, SESSION_CACHE_BYTES } from '../defaults.js';
import { entryOf, versionOf } from './session-schema.js';
import { sessionView } from './session-view.js';

interface RenderedSession {
  json: string;
  version: number;
}

/**
 * Sessions as JSON text, each read and rendered once per version ("list 100" and "get a session" of the bench `daemon`). Ids are unique over all
 * tenants, so one cache serves all: each tenant reads the versions of its sessions only.
 */
export class RenderedSessions {
  readonly #cache = new ByteCache<string>(SESSION_CACHE_BYTES);
  readonly #open = new WeakMap<SessionMetadata, string>();

  /** A page of a listing: about 1 MB, but at least one session. */
  async page(
    store: SessionStore,
    query: SessionQuery,
  ): Promise<{ json: string; next_cursor: string | null }> {
    const recall = (version: SessionVersion) => this.#cache.get(keyOf(version));
    const { sessions, next_cursor } = await store.outlines({ ...query, bytes: PAGE_BYTES }, recall);
    const texts = sessions.map((each) => (typeof each === 'string' ? each : this.#render(each)));
    return { json: `[${texts.join(',')}]`, next_cursor };
  }

  /** One session that is stored. Rejects for one that is missing or damaged. */
  async one(store: SessionStore, session_id: string): Promise<RenderedSession> {
    const version = await store.version(session_id);
    const known = this.#cache.get(keyOf(version));
    if (known !== undefined) return { json: known, version: versionOf(version) };
    const metadata = await store.metadata(session_id);
    return { json: this.#render(metadata), version: versionOf(metadata) };
  }

  /** One whose log is open here, with what is not stored yet. A log shows the same object until the next append. */
  open(metadata: SessionMetadata): RenderedSession {
    const json = this.#open.get(metadata) ?? JSON.stringify(sessionView(metadata));
    this.#open.set(metadata, json);
    return { json, version: versionOf(metadata) };
  }

  /** A damaged session shows what identifies it, and is read again the next time. */
  #render(session: SessionOutline | SessionSummary): string {
    if (!('version' in session)) return JSON.stringify(entryOf(session));
    const text = JSON.stringify(sessionView(session));
    this.#cache.set(keyOf(session), text);
    return text;
  }
}

function keyOf(version: SessionVersion): string {
  return `${version.session_id} ${version.created} ${versionOf(version)}`;
}
