import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { confinedPath } from '@amplifier/foundation';
import { DaemonError } from '../daemon-error.js';
import { type Manifest, readManifest } from './manifest.js';

interface FoundProfile {
  manifest: Manifest;
  text: string;
  file: string;
}

export interface Discovery {
  profiles: FoundProfile[];
  /** Files that look like profiles and are none, with the reason. */
  problems: { file: string; code: string; message: string }[];
}

/** The profiles of a collection: Markdown files in its root, not below, whose frontmatter says so. */
export async function discoverProfiles(root: string): Promise<Discovery> {
  const discovery: Discovery = { profiles: [], problems: [] };
  const names = new Set<string>();
  for (const file of (await readdir(root)).filter((name) => name.endsWith('.md')).sort()) {
    try {
      const text = await readFile(await confinedPath(root, join(root, file)), 'utf8');
      const read = readManifest(text, file);
      if ('skipped' in read) continue;
      const { manifest } = read;
      if (names.has(manifest.name)) {
        throw new DaemonError('PROFILE_INVALID', `${file}: another file has the profile ${manifest.name}.`);
      }
      names.add(manifest.name);
      discovery.profiles.push({ manifest, text, file });
    } catch (error) {
      const { code = 'PROFILE_INVALID', message } = errorInfo(error);
      discovery.problems.push({ file, code, message: message.replaceAll(root, '.') });
    }
  }
  return discovery;
}
