import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { DaemonError } from '../daemon-error.js';

/** By the version, which is known before anything is rendered; the library's is a digest of the whole answer. */
export function etag(version: number | string): string {
  return `"v${version}"`;
}

export function isNotModified({ env }: Context, tag: string): boolean {
  return listed((env as HttpBindings).incoming.headers['if-none-match'], tag);
}

/** Refuses a change that was meant for another version than the present one. */
export function checkIfMatch({ req }: Context, version: number | string): void {
  const wanted = req.header('if-match');
  if (wanted === undefined || listed(wanted, etag(version))) return;
  throw new DaemonError(
    'VERSION_MISMATCH',
    `The version is now ${etag(version)}, but the request is for ${wanted}. Read it again first.`,
    {
      members: { version },
    },
  );
}

function listed(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((each) => each.trim() === tag || each.trim() === '*') ?? false;
}
