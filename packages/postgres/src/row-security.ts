import { checkTenant, SessionError } from '@amplifier/sessions';
import type { Client, ClientConfig } from 'pg';
import { connect } from './connect.js';
import { MIGRATE_LOCK, RECORD_LOCKS } from './defaults.js';

/** The role that work for one tenant is done in: row-level security holds for it, and not for the owner of the tables or a superuser. */
const ROLE = 'amplifier_tenant';
const OWNED = ['sessions', 'runs', 'shelf', 'audit', 'spent'];
/** What hangs off a session, and where its number is. */
const BELOW = [
  ['messages', 'place / 16777216'],
  ['documents', 'place / 4'],
  ['bases', 'session'],
  ['events', 'session'],
  ['mail', 'session'],
] as const;
/** What belongs to nobody, or is known by its hash alone. */
const SHARED = ['plans', 'blobs', 'processes', 'facts'];

const policy = (table: string, condition: string) => `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ${table} USING (${condition});`;

/** Without a tenant that was set, reading it is an error: nothing is seen then. */
export const ROW_SECURITY = [
  ...OWNED.map((table) => policy(table, "tenant = current_setting('amplifier.tenant')")),
  ...BELOW.map(([table, n]) => policy(table, `EXISTS (SELECT 1 FROM sessions s WHERE s.n = ${table}.${n})`)),
].join('\n');

const GRANTS = `GRANT SELECT, INSERT, UPDATE, DELETE ON ${[...OWNED, ...BELOW.map(([table]) => table), ...SHARED].join(', ')} TO ${ROLE}`;

/** From here to the end of the transaction, or to `UNBIND`, only rows of the tenant can be reached. */
export function bindSql(tenant: string): string {
  return `SET LOCAL amplifier.tenant = '${checkTenant(tenant)}'; SET LOCAL ROLE ${ROLE}`;
}

export const UNBIND = 'SET LOCAL ROLE NONE';

/** Sees to it that the role is there and may do its work. */
export async function prepareRole(config: ClientConfig, name: string): Promise<void> {
  const client = await connect(config);
  try {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${RECORD_LOCKS}, ${MIGRATE_LOCK})`);
    await makeRole(client, name);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

async function makeRole(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ there: boolean; self: string; member: boolean | null }>(
    `SELECT to_regrole('${ROLE}') IS NOT NULL AS there, current_user AS self,
      pg_has_role(current_user, to_regrole('${ROLE}'), 'MEMBER') AS member`,
  );
  const [{ there, self, member } = { there: false, self: '', member: false }] = rows;
  try {
    if (!there) await client.query(`CREATE ROLE ${ROLE} NOLOGIN`);
    if (!member) await client.query(`GRANT ${ROLE} TO CURRENT_USER`);
    await client.query(GRANTS);
  } catch (error) {
    throw new SessionError(
      `Tenants need the role ${ROLE} at ${name}, and ${self} may not make it. Let an administrator of the server say: CREATE ROLE ${ROLE} NOLOGIN; GRANT ${ROLE} TO "${self}";`,
      { code: 'STORAGE_DENIED', origin: name, cause: error },
    );
  }
}
