import { resolve } from 'node:path';

/** The folder name under which the sessions of a working directory are kept, the same as in the Python CLI. */
export function projectSlug(working_dir: string): string {
  const slug = resolve(working_dir).replace(/[/\\]/g, '-').replace(/:/g, '');
  return slug.startsWith('-') ? slug : `-${slug}`;
}
