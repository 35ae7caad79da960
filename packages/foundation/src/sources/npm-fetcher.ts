import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { redactText } from '@amplifier/core';
import { FoundationError } from '../errors.js';
import { runCommand } from './run-command.js';
import type { FetchContext, SourceFetcher } from './source-fetcher.js';
import type { SourceUri } from './source-uri.js';
import { unpackArchive } from './unpack-archive.js';

/** `npm:name@range`: a package as its registry has it, brought by the npm client with the user's own settings. No script of it runs. */
export const npmFetcher: SourceFetcher = {
  schemes: ['npm'],

  async revision(source, context) {
    const listing = await npm(['view', '--json', spec(source), 'version'], source, context);
    const versions = [JSON.parse(listing || 'null')].flat();
    const newest = versions.at(-1);
    if (typeof newest === 'string') return newest;
    throw notFound(source);
  },

  async fetch(source, revision, folder, context) {
    const args = ['pack', '--ignore-scripts', '--pack-destination', folder, `${source.location}@${revision}`];
    await npm(args, source, context);
    const [tarball] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
    if (!tarball) throw notFound(source);
    const bytes = await readFile(join(folder, tarball));
    await rm(join(folder, tarball));
    await unpackArchive(bytes, 'tar', folder, {
      source: source.text,
      maxBytes: context.maxBytes,
      strip: 1,
    });
  },
};

function spec({ location, ref }: SourceUri): string {
  return ref === null ? location : `${location}@${ref}`;
}

async function npm(args: string[], source: SourceUri, context: FetchContext): Promise<string> {
  const { exit_code, stdout, stderr } = await runCommand(
    'npm',
    // Without workspaces npm looks for a project no further than the package.json of that folder.
    [...args, '--no-workspaces', '--no-audit', '--no-fund', '--loglevel=error'],
    context,
    { cwd: await context.programFolder() },
  );
  if (exit_code === 0) return stdout.trim();
  if (/\bE404\b|\bETARGET\b/.test(stderr)) throw notFound(source);
  const offline = /\b(ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ECONNRESET|ENOTCACHED)\b/.test(stderr);
  const said = redactText(stderr.trim().split('\n').slice(-2).join(' '));
  throw new FoundationError(
    `npm cannot fetch ${source.location}: ${said}. Check the network and npm's settings.`,
    {
      code: offline ? 'SOURCE_UNREACHABLE' : 'SOURCE_FAILED',
      origin: source.text,
      retryable: offline,
    },
  );
}

function notFound(source: SourceUri): FoundationError {
  return new FoundationError(`The registry has no package ${spec(source)}. Check the name and the version.`, {
    code: 'SOURCE_NOT_FOUND',
    origin: source.text,
  });
}
