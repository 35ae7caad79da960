import { realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expandHome } from '../agents/agent-search-order.js';
import { isWithin } from '../documents/confined-path.js';

export type MissingReason = 'not_found' | 'not_allowed' | 'too_large' | 'not_text' | 'unreadable';

export interface MentionRoots {
  /** Where a plain `@path` starts: the folder the session works in. */
  baseDir: string;
  /** Where `@name:path` starts, for each bundle. `user` and `project` may be among them. */
  namespaces?: Readonly<Record<string, string>>;
  home?: string;
}

/** Turns mentions into paths. */
export interface MentionResolver {
  /** `from` is the file the mention stands in, when it stands in one. */
  resolve(mention: string, from?: string): Promise<{ path: string } | { reason: MissingReason }>;
}

declare module '@amplifier/core' {
  interface Capabilities {
    mention_resolver: MentionResolver;
  }
}

/**
 * `@name:path` stays inside the folder of that bundle, links followed. `@~/path` is the user's home. Any other path is
 * looked for beside the file it stands in, then in the base folder. A path with `..` is never followed.
 */
export function mentionResolver({ baseDir, namespaces = {}, home }: MentionRoots): MentionResolver {
  return {
    async resolve(mention, from) {
      if (mention.split(/[\\/]/).includes('..')) return { reason: 'not_allowed' };
      const [, namespace, inside] = /^([\w.-]+):(.+)$/.exec(mention) ?? [];
      if (namespace !== undefined && inside !== undefined) {
        const root = Object.hasOwn(namespaces, namespace) ? namespaces[namespace] : undefined;
        return root === undefined ? { reason: 'not_found' } : inRoot(root, inside);
      }
      if (mention.startsWith('~')) return existing(expandHome(mention, home));
      const places = [...(from ? [dirname(from)] : []), baseDir];
      for (const place of places) {
        const found = await existing(resolve(place, mention));
        if ('path' in found) return found;
      }
      return { reason: 'not_found' };
    },
  };
}

async function inRoot(root: string, path: string): Promise<{ path: string } | { reason: MissingReason }> {
  const found = await existing(join(root, path));
  if ('reason' in found) return found;
  return isWithin(await realpath(root), await realpath(found.path)) ? found : { reason: 'not_allowed' };
}

/** With or without `.md`. */
async function existing(path: string): Promise<{ path: string } | { reason: MissingReason }> {
  for (const candidate of [path, `${path}.md`]) {
    const found = await stat(candidate).then(
      () => true,
      () => false,
    );
    if (found) return { path: candidate };
  }
  return { reason: 'not_found' };
}
