import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorInfo, isPlainObject } from '@amplifier/core';
import type { HeldSource } from '@amplifier/foundation';
import { planFinder } from '../assembly/module-loader.js';
import type { Project } from '../project/project.js';
import { type PendingModule, traced } from './pinned-modules.js';
import type { TracedFiles } from './trace-imports.js';

/** A module of a deployment that is not as it was when it was first used. */
interface ChangedModule extends PendingModule {
  /** As it is now: what is trusted is what was shown. */
  files: TracedFiles;
}

export interface DeploymentReview {
  changed: ChangedModule[];
  /** Sources on this machine with a newer revision than the one in use. */
  held: HeldSource[];
  /** Modules that cannot be looked at, in words. */
  problems: string[];
}

/** Looks at every module and repository on this machine that sessions of the deployment have loaded. Loads nothing. */
export async function reviewDeployment(project: Project): Promise<DeploymentReview> {
  const { name, find } = planFinder(project);
  const review: DeploymentReview = { changed: [], held: [], problems: [] };
  for (const { module_id, source } of await pinnedNames(project.paths.home)) {
    try {
      const opened = await project.modules.open(await find(name(module_id, source)));
      if (typeof opened !== 'string') review.changed.push({ ...opened, files: await traced(opened.found) });
    } catch (error) {
      review.problems.push(`${module_id}: ${errorInfo(error).message}`);
    }
  }
  const { sources, paths } = project;
  for (const source of await sources.localSources())
    await sources.resolve(source, paths.home).catch((error) => {
      review.problems.push(`${source}: ${errorInfo(error).message}`);
    });
  review.held = sources.held;
  return review;
}

/** The operator agrees to the modules as they were reviewed. */
export async function trustDeployment(project: Project, { changed, held }: DeploymentReview): Promise<void> {
  for (const { found, files } of changed) await project.modules.pin(found, files);
  for (const each of held) await project.sources.take(each);
}

async function pinnedNames(home: string): Promise<{ module_id: string; source: string }[]> {
  const folder = join(home, 'trust');
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found: { module_id: string; source: string }[] = [];
  for (const file of names.filter((each) => each.endsWith('.json')).sort()) {
    const pin: unknown = JSON.parse(await readFile(join(folder, file), 'utf8'));
    if (!isPlainObject(pin)) continue;
    const { module_id, source } = pin;
    if (typeof module_id === 'string' && typeof source === 'string') found.push({ module_id, source });
  }
  return found;
}
