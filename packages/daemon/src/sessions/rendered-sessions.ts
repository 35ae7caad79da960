import type {
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

/**
 * Stored sessions as JSON text, each read and rendered once per version ("list 100" of the bench `daemon`). Ids are unique over all
 * tenants, so one cache serves all: each tenant reads the versions of its sessions only.
 */
export class RenderedSessions {
  readonly #cache = new ByteCache<string>(SESSION_CACHE_BYTES);

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
