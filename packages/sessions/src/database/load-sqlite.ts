import type { DatabaseSync } from '@photostructure/sqlite';

export type Sqlite = Pick<typeof import('@photostructure/sqlite'), 'DatabaseSync' | 'backup'>;
export type Connection = InstanceType<typeof DatabaseSync>;

/** Node's own library from this version on. */
const BUILT_IN = [22, 13] as const;
const BUILT_IN_NAME = 'node:sqlite';

/** The SQLite of this Node where it has one, else the package with the same interface. Loaded when a record is opened. */
export async function loadSqlite(): Promise<Sqlite> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const hasOwn = major > BUILT_IN[0] || (major === BUILT_IN[0] && minor >= BUILT_IN[1]);
  return hasOwn ? withoutWarning(() => import(BUILT_IN_NAME)) : import('@photostructure/sqlite');
}

/** Node warns that its library is young. That is ours to know, and nobody else's. */
async function withoutWarning<T>(load: () => Promise<T>): Promise<T> {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: []) => {
    if (!String(warning).includes('SQLite')) emitWarning.call(process, warning, ...rest);
  }) as typeof emitWarning;
  try {
    return await load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
