import {
  checkTenant,
  type Database,
  SessionError,
  type Statement,
  shareDatabase,
  type Work,
  type WriteOptions,
} from '@amplifier/sessions';

/** Tables that say in each row whose it is. Whatever hangs off a session is reached through its row. */
const OWNED = 'sessions|runs|shelf|audit|spent';
const SOURCE = new RegExp(
  `\\b(FROM|JOIN) (${OWNED})\\b(?: (?!WHERE|ON|ORDER|GROUP|LIMIT|LEFT|JOIN|UNION)(?:AS )?(\\w+))?`,
  'g',
);
const CHANGE = new RegExp(`^\\s*(?:DELETE FROM|UPDATE) (?:${OWNED})\\b`);
/** Where else their names may stand. */
const KNOWN = new RegExp(`\\b(?:FROM|JOIN|INTO) (?:${OWNED})\\b|\\b(?:${OWNED})\\.`, 'g');
const UNKNOWN = new RegExp(`\\b(?:${OWNED})\\b`);

/** A record that is open already, for another user of it, who closes only what was opened here. */
export async function openShared(record: string): Promise<Database> {
  const { database, release } = await shareDatabase(record);
  const close = once(release);
  return new Proxy(database, {
    get: (target, property) => (isClose(property) ? close : memberOf(target, property)),
  });
}

/** What of a record belongs to a tenant. Whoever opens it closes it. */
export async function openForTenant(record: string, tenant: string): Promise<Database> {
  checkTenant(tenant);
  const { database, release } = await shareDatabase(record);
  return bindDatabase(database, tenant, release);
}

/**
 * The same database for one tenant: rows of others are not there, for whichever statement, and what is added is that tenant's. A
 * server that can tell rows apart itself is told, too. `release` is called when it is closed.
 */
export function bindDatabase(
  database: Database,
  tenant: string,
  release: () => Promise<void> = async () => {},
): Database {
  checkTenant(tenant);
  const inner = database.bound?.(tenant) ?? database;
  const close = once(release);
  const known = new Map<string, string>();
  const bind = (sql: string) => {
    const statement = known.get(sql) ?? bindStatement(sql, tenant);
    known.set(sql, statement);
    return statement;
  };
  return new Proxy(database, {
    get(target, property) {
      if (property === 'tenant') return tenant;
      if (property === 'whole') return target;
      if (property === 'read')
        return <T>(work: () => Work<T>, topics?: readonly string[] | 'all') =>
          inner.read(() => bindWork(work(), bind), topics);
      if (property === 'write')
        return <T>(work: () => Work<T>, options?: WriteOptions) =>
          inner.write(() => bindWork(work(), bind), options);
      return isClose(property) ? close : memberOf(target, property);
    },
  });
}

function isClose(property: string | symbol): boolean {
  return property === 'close' || property === Symbol.asyncDispose;
}

function memberOf(target: Database, property: string | symbol): unknown {
  const value = Reflect.get(target, property, target);
  return typeof value === 'function' ? value.bind(target) : value;
}

function once(release: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= release();
    return closing;
  };
}

function* bindWork<T>(work: Work<T>, bind: (sql: string) => string): Work<T> {
  let step = work.next();
  while (!step.done) {
    const statement: Statement = { ...step.value, sql: bind(step.value.sql) };
    let answer: unknown;
    try {
      answer = yield statement;
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    step = work.next(answer);
  }
  return step.value;
}

/**
 * Every table of rows that belong to somebody is that of the tenant's rows, wherever it is read; what changes rows says whose. Refuses a
 * statement that names such a table in any other way, such as in a list with commas, or changes it further on.
 */
export function bindStatement(sql: string, tenant: string): string {
  const [head = ''] = CHANGE.exec(sql) ?? [];
  const tail = sql.slice(head.length);
  if (UNKNOWN.test(tail.replace(KNOWN, '')))
    throw refused(tenant, `A statement that cannot be bound to a tenant: ${sql}`);
  const isMine = `tenant = '${checkTenant(tenant)}'`;
  const rest = tail.replace(
    SOURCE,
    (_, word, table, alias) => `${word} (SELECT * FROM ${table} WHERE ${isMine}) ${alias ?? table}`,
  );
  if (head === '') return rest;
  const at = outerWhere(rest);
  const end = rest.lastIndexOf(' RETURNING ');
  const condition = end < 0 ? rest.slice(at) : rest.slice(at, end);
  return `${head}${rest.slice(0, at)}${isMine} AND (${condition})${end < 0 ? '' : rest.slice(end)}`;
}

/** Where the condition of a change begins. One without would change rows of everybody. */
function outerWhere(sql: string): number {
  let depth = 0;
  for (const { 0: found, index } of sql.matchAll(/[()]|\sWHERE\s/g)) {
    if (found === '(') depth++;
    else if (found === ')') depth--;
    else if (depth === 0) return index + found.length;
  }
  throw refused(sql, `A change without a condition: ${sql}`);
}

function refused(origin: string, message: string): SessionError {
  return new SessionError(message, { code: 'INVALID_RECORD', origin });
}
