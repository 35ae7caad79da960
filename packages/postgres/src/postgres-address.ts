import { readFileSync } from 'node:fs';
import { SessionError } from '@amplifier/sessions';
import type { ClientConfig } from 'pg';

/** Where a record is, and how to get there. */
export interface PostgresAddress {
  /** The same without the password, for messages, and as the name of the record. */
  name: string;
  client: ClientConfig;
}

const LOOPBACK = /^(localhost|127\.|::1$|\[::1\]$)/;

/**
 * `postgres://user:password@host:port/database?sslmode=…`, or a socket: `postgres:///database?host=/var/run/postgresql`. Over a
 * network the connection is encrypted and the server's certificate checked, unless `sslmode` says otherwise.
 */
export function readAddress(text: string): PostgresAddress {
  const url = parse(text);
  const options = url.searchParams;
  const host = options.get('host') ?? decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ''));
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database === '') throw invalid('names no database', text);
  const isLocal = host === '' || host.startsWith('/') || LOOPBACK.test(host);
  const client: ClientConfig = {
    host: host || 'localhost',
    port: Number(url.port || options.get('port') || 5432),
    database,
    user: decodeURIComponent(url.username) || options.get('user') || 'postgres',
    password: decodeURIComponent(url.password) || options.get('password') || process.env.PGPASSWORD || '',
    ssl: tlsOf(options, isLocal, text),
    application_name: 'amplifier',
  };
  return { name: nameOf(url), client };
}

/** The address without what nobody may read. */
export function redactAddress(text: string): string {
  return nameOf(parse(text));
}

function nameOf(url: URL): string {
  const shown = new URL(url);
  shown.password = '';
  shown.searchParams.delete('password');
  shown.searchParams.delete('sslpassword');
  return shown.toString();
}

function parse(text: string): URL {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw invalid('is no address', text);
  }
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')
    throw invalid('is no address of a PostgreSQL server', text);
  return url;
}

function tlsOf(options: URLSearchParams, isLocal: boolean, text: string): ClientConfig['ssl'] {
  const mode = options.get('sslmode') ?? (isLocal ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  const file = (name: string) => {
    const path = options.get(name);
    return path === null ? undefined : readFileSync(path, 'utf8');
  };
  const [ca, cert, key] = [file('sslrootcert'), file('sslcert'), file('sslkey')];
  const files = { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
  if (mode === 'require' || mode === 'no-verify') return { ...files, rejectUnauthorized: false };
  if (mode === 'verify-ca') return { ...files, checkServerIdentity: () => undefined };
  if (mode === 'verify-full') return files;
  throw invalid(`has an sslmode that is none of disable, require, verify-ca, verify-full`, text);
}

/** Says nothing of the text itself, which may hold a password, but how it begins. */
function invalid(problem: string, text: string): SessionError {
  const scheme = /^[a-z]+(?=:)/i.exec(text.trim())?.[0] ?? 'the text';
  return new SessionError(
    `The database ("${scheme}…") ${problem}. Write postgres://user:password@host:5432/database.`,
    { code: 'STORAGE_FAILED' },
  );
}
