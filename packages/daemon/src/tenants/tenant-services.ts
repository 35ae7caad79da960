import type { Database, SqlRunQueue, SqlSessionStore } from '@amplifier/sessions';
import type { Services } from '../services.js';
import { bindDatabase } from './bind-database.js';

/**
 * The services as a tenant has them: whatever is listed, found, made or followed through them is that tenant's. Logs, hosts and what
 * runs are shared; they are asked for sessions that were found here before.
 */
export function tenantServices(
  services: Services,
  { store, queue }: { store: SqlSessionStore; queue: SqlRunQueue },
  tenant: string,
): Services {
  const bind = (database: Database) => bindDatabase(database, tenant);
  const own = { store: store.on(bind), queue: queue.on(bind), shelf: services.shelf.on(bind) };
  return {
    ...services,
    store: own.store,
    shelf: own.shelf,
    folders: services.folders.of(tenant),
    tokens: services.tokens.of(tenant),
    events: services.events.of(tenant, own.store),
    webhooks: services.webhooks.of(tenant, own.store, own.shelf),
    plans: services.plans.of(own.store),
    runs: services.runs.of(own.store, own.queue),
    approvals: services.approvals.of(own.store, own.queue),
    audit: services.audit.of(tenant),
  };
}
