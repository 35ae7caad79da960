import { relative } from 'node:path';
import type { MountPlan } from '@amplifier/core';
import { type HeldSource, isOnThisMachine, parseSource } from '@amplifier/foundation';
import { isWithin } from '@amplifier/workspace';
import { BUILT_IN_MODULES, planFinder } from '../assembly/module-loader.js';
import { namedModules } from '../assembly/report-modules.js';
import type { Project } from '../project/project.js';
import type { ActingPart } from '../trust/acting-parts.js';
import { askOnce } from './ask-once.js';
import { manifestOf } from './module-copies.js';
import { type PendingModule, traced } from './pinned-modules.js';

/**
 * Looks at every module that sessions of the plan may load, before one begins: what the user names is pinned on first use, and a
 * person is asked about what changed. Without consent each is refused when it is loaded.
 */
export async function reviewModules(project: Project, plan: MountPlan): Promise<void> {
  const pending = await pendingModules(project, plan);
  if (pending.length === 0) return;
  // Traced before the question: what is pinned is what the question was about.
  const traces = await Promise.all(
    pending.map(async (each) => ({ ...each, files: await traced(each.found) })),
  );
  const parts = pending.flatMap((each) => pendingParts(each, project.paths.cwd));
  const state = traces.map(({ files }) => manifestOf(files).digest).sort();
  if (!(await askOnce(project, parts, state))) return;
  for (const { found, files } of traces) await project.modules.pin(found, files);
}

/** The modules of the plan that are not loaded until a person agrees. Fetches nothing from another machine. */
export async function pendingModules(project: Project, plan: MountPlan): Promise<PendingModule[]> {
  const { name, find } = planFinder(project);
  const pending: PendingModule[] = [];
  for (const { module, source } of namedModules(plan)) {
    if (BUILT_IN_MODULES.includes(module)) continue;
    try {
      const named = name(module, source ?? undefined);
      if (named.location === null && !isOnThisMachine(parseSource(named.source))) continue;
      const opened = await project.modules.open(await find(named));
      if (typeof opened !== 'string') pending.push(opened);
    } catch {
      // A module that cannot be found or read is reported when it is loaded.
    }
  }
  return pending;
}

/** A repository of this machine that has changed, in words. */
export function heldPart({ source, newer }: HeldSource): ActingPart {
  return { file: source, what: `changed, is at revision ${newer.slice(0, 12)}` };
}

/** In words, for the question whether it may be loaded. */
export function pendingParts({ found, changed }: PendingModule, cwd: string): ActingPart[] {
  const { module_id, path } = found;
  const short = (file: string) => (isWithin(cwd, file) ? relative(cwd, file) : file);
  if (changed.length === 0) return [{ file: short(path), what: `loads: ${module_id}` }];
  return changed.map((file) => ({ file: short(file), what: `changed, loaded by: ${module_id}` }));
}
