import { projectSlug } from '@amplifier/host/record';
import type { SessionStore } from '@amplifier/sessions';
import type { LogPool } from './log-pool.js';

/**
 * The store as turns see it: their logs come from the pool, so that requests can add to a session while it runs. With a folder, what
 * is created belongs to the project of that folder.
 */
export function pooledStore(store: SessionStore, logs: LogPool, folder: string | null): SessionStore {
  const owner = folder === null ? {} : { project: projectSlug(folder) };
  const pooled: Partial<SessionStore> = {
    open: (session_id, options) => logs.hold(session_id, options),
    create: async (session, contents) =>
      logs.adoptHeld(await store.create({ ...owner, ...session }, contents)),
    fork: async (session_id, options) => logs.adoptHeld(await store.fork(session_id, options)),
  };
  return new Proxy(store, {
    get(target, property) {
      const own = pooled[property as keyof SessionStore];
      if (own) return own;
      const value = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
