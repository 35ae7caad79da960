import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FoundationError } from '../errors.js';

/** A source taken apart. */
export interface SourceUri {
  /** As it was written. */
  text: string;
  /** `path` for the local disk, `npm` for a package, else what stands before `://`, such as `git+https`. */
  scheme: string;
  /** The place: a URL, a path as written, the name of a package. */
  location: string;
  /** Which state of the place: a branch, tag or commit, a version range. Null: the newest. */
  ref: string | null;
  /** The part of it that is meant: a folder or a file. */
  subdirectory: string | null;
}

const SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i;
const PACKAGE = /^(@[a-z0-9~][a-z0-9-._~]*\/)?[a-z0-9~][a-z0-9-._~]*$/i;

/** Takes a source apart without looking at disk or network. Throws `INVALID_SOURCE`. */
export function parseSource(text: string): SourceUri {
  const trimmed = text.trim();
  const [base = '', fragment] = splitOnce(trimmed, '#');
  const subdirectory = readFragment(fragment, trimmed);
  const scheme = SCHEME.exec(base)?.[1]?.toLowerCase();
  if (scheme === 'file') return { text, scheme: 'path', location: filePath(base), ref: null, subdirectory };
  if (scheme?.startsWith('git+')) {
    const [location, ref] = splitRef(base.slice('git+'.length));
    if (location.startsWith('-') || ref?.startsWith('-'))
      throw invalid(trimmed, 'nothing in it may begin with -');
    checkUrl(location, trimmed);
    return { text, scheme, location, ref, subdirectory };
  }
  if (scheme) checkUrl(base.replace(/^zip\+/i, ''), trimmed);
  if (scheme) return { text, scheme, location: base, ref: null, subdirectory };
  if (isLocalPath(base)) return { text, scheme: 'path', location: base, ref: null, subdirectory };
  return parsePackage(text, base, subdirectory);
}

/** True for a source that is fetched from this machine, where a session may be able to change it. */
export function isOnThisMachine({ scheme, location }: SourceUri): boolean {
  if (scheme === 'git+file') return true;
  if (!/^(git\+|zip\+)?(https?|ssh)$/.test(scheme)) return false;
  const { hostname } = new URL(location.replace(/^zip\+/i, ''));
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])\.?$/i.test(hostname);
}

/** Is it a path on this machine, rather than a URL or the name of a package? */
function isLocalPath(text: string): boolean {
  return (
    isAbsolute(text) ||
    /^\.{1,2}([\\/]|$)/.test(text) ||
    /^~([\\/]|$)/.test(text) ||
    /^[a-z]:[\\/]/i.test(text) ||
    text.startsWith('\\\\')
  );
}

/** `name`, `@scope/name`, `name/part/of/it`, `npm:name@range`. */
function parsePackage(text: string, base: string, subdirectory: string | null): SourceUri {
  const fetchable = base.startsWith('npm:');
  const spec = fetchable ? base.slice('npm:'.length) : base;
  const at = spec.indexOf('@', 1);
  const [named, ref] = at === -1 ? [spec, null] : [spec.slice(0, at), spec.slice(at + 1)];
  const parts = named.split('/');
  const name = parts.slice(0, named.startsWith('@') ? 2 : 1).join('/');
  const inside = parts.slice(named.startsWith('@') ? 2 : 1).join('/');
  if (!PACKAGE.test(name) || ref === '' || ref?.startsWith('-')) {
    throw invalid(text, 'it is neither a URL, a path (begin it with ./) nor the name of a package');
  }
  const scheme = fetchable ? 'npm' : 'package';
  return { text, scheme, location: name, ref, subdirectory: subdirectory ?? (inside || null) };
}

/** The ref follows the last @ that stands in the path; one before the host is a user name. */
function splitRef(url: string): [string, string | null] {
  const pathStart = url.indexOf('/', url.indexOf('://') + 3);
  const at = url.lastIndexOf('@');
  if (at === -1 || at < pathStart) return [url, null];
  return [url.slice(0, at), url.slice(at + 1) || null];
}

/** Throws for an invalid URL, and for a host or user name that git or ssh could read as an option. */
function checkUrl(url: string, text: string): void {
  let names: string[];
  try {
    const { hostname, username, pathname } = new URL(url);
    names = [hostname, username].map(decodeURIComponent);
    decodeURIComponent(pathname);
  } catch (cause) {
    throw invalid(text, 'it is not a valid URL', cause);
  }
  if (names.some((name) => name.startsWith('-'))) throw invalid(text, 'nothing in it may begin with -');
}

function readFragment(fragment: string | undefined, text: string): string | null {
  if (fragment === undefined || fragment === '') return null;
  const subdirectory = new URLSearchParams(fragment).get('subdirectory');
  if (subdirectory === null) throw invalid(text, 'after # only subdirectory=path is understood');
  const clean = subdirectory.split('/').filter(Boolean).join('/');
  if (clean.split(/[\\/]/).includes('..')) throw invalid(text, 'its subdirectory leads out of the source');
  return clean || null;
}

function filePath(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw invalid(url, (cause as Error).message);
  }
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function invalid(text: string, why: string, cause?: unknown): FoundationError {
  return new FoundationError(
    `'${text}' is not a source: ${why}. For example: git+https://host/org/repo@main#subdirectory=part, ./folder, npm:package.`,
    { code: 'INVALID_SOURCE', cause },
  );
}
