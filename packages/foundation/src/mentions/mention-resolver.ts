import { type FileHandle, realpath, stat } from 'node:fs/promises';
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
  /** Rejects with what the session may not read. Default: everything may be read. */
  open?: (path: string) => Promise<FileHandle>;
  /** May the file, or a folder, be looked at? Default: yes. */
  allows?: (path: string) => Promise<boolean>;
  /** Did somebody write the file whose mentions are to be followed in turn? Default: yes. */
  trusts?: (path: string) => boolean;
}

/** Turns mentions into paths. */
export interface MentionResolver {
  /** `from` is the file the mention stands in, when it stands in one. */
  resolve(mention: string, from?: string): Promise<{ path: string } | { reason: MissingReason }>;
  open?: MentionRoots['open'] | undefined;
  trusts?: MentionRoots['trusts'] | undefined;
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
export function mentionResolver({
  baseDir,
  namespaces = {},
  home,
  open,
  allows = async () => true,
  trusts,
}: MentionRoots): MentionResolver {
  return {
    open,
    trusts,
    async resolve(mention, from) {
      const found = await find(mention, from);
      return 'path' in found && !(await allows(found.path)) ? { reason: 'not_allowed' } : found;
    },
  };

  async function find(
    mention: string,
    from: string | undefined,
  ): Promise<{ path: string } | { reason: MissingReason }> {
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
  }
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
