import type { ToolContext } from '@amplifier/core';
import {
  type Grant,
  intersectGrants,
  NOT_FILES,
  pathScope,
  realPathOf,
  resolveInside,
} from '@amplifier/workspace';
import { z } from 'zod';
import { OnlyTools } from '../only-tools.js';
import { grantOf, placeNamed, workingDirOf } from '../session-grant.js';
import { ToolError } from '../tool-error.js';

const Paths = z.array(z.string());

/** Narrows the session's grant for these tools; it can add nothing to it. Relative paths are meant from the working folder. */
export const FilesystemConfig = z.object({
  allowed_read_paths: Paths.optional(),
  denied_read_paths: Paths.default([]),
  allowed_write_paths: Paths.optional(),
  denied_write_paths: Paths.default([]),
  only: OnlyTools,
});
export type FilesystemConfig = z.output<typeof FilesystemConfig>;

/** Where the file tools of one session may act. */
export class FileAccess {
  #config: FilesystemConfig;

  constructor(config: FilesystemConfig) {
    this.#config = config;
  }

  /** The session's grant, narrowed by the configuration. */
  async grant(context: Pick<ToolContext, 'coordinator'>): Promise<Grant> {
    const grant = grantOf(context);
    const cwd = workingDirOf(context);
    const { allowed_read_paths, denied_read_paths, allowed_write_paths, denied_write_paths } = this.#config;
    const real = (paths: string[] = ['/']) => Promise.all(paths.map((path) => realPathOf(path, cwd)));
    return intersectGrants(grant, {
      ...grant,
      read: pathScope(await real(allowed_read_paths), [...NOT_FILES, ...(await real(denied_read_paths))]),
      write: pathScope(await real(allowed_write_paths), [...NOT_FILES, ...(await real(denied_write_paths))]),
    });
  }

  /** The real place of a path the session may use so. Throws when it may not. */
  async resolve(
    context: Pick<ToolContext, 'coordinator'>,
    access: 'read' | 'write',
    path: string,
  ): Promise<string> {
    const place = placeNamed(context, access, path);
    const resolved = await resolveInside(await this.grant(context), access, place, workingDirOf(context));
    if (!resolved.allowed) throw new ToolError('NOT_PERMITTED', resolved.because);
    return resolved.path;
  }
}
