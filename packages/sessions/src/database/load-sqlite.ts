import { isBuiltin } from 'node:module';
import type { DatabaseSync } from '@photostructure/sqlite';

export type Connection = InstanceType<typeof DatabaseSync>;

/** The SQLite of this Node where it has one, else the package with the same interface. */
export function sqliteModule(hasModule: (name: string) => boolean = isBuiltin): string {
  return hasModule('node:sqlite') ? 'node:sqlite' : '@photostructure/sqlite';
}

/** Loaded when a record is opened. Node warns that its library is young: that is ours to know, and nobody else's. */
export async function loadSqlite(): Promise<{ DatabaseSync: typeof DatabaseSync }> {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: []) => {
    if (!String(warning).includes('SQLite')) emitWarning.call(process, warning, ...rest);
  }) as typeof emitWarning;
  try {
    // Each by its own name: a bundler takes along only what it can read.
    return sqliteModule() === 'node:sqlite'
      ? await import('node:sqlite' as string)
      : await import('@photostructure/sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
