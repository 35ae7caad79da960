import type { Pieces } from '../byte-cache.js';
import type { MountKind, MountPoint, PublicPlan } from './plan-schema.js';

export type PlanViewName = 'full' | 'flat' | 'ids';

/** Where each kind of mount is shown beside the flat list. */
const VIEWS: [view: string, kind: MountKind][] = [
  ['agents', 'agent'],
  ['context', 'context'],
  ['providers', 'provider'],
  ['tools', 'tool'],
  ['hooks', 'hook'],
];

const mountTexts = new WeakMap<MountPoint, string>();
const tails = new WeakMap<readonly MountPoint[], Map<PlanViewName, Uint8Array<ArrayBuffer>>>();
const encoder = new TextEncoder();

/**
 * The plan as JSON, in pieces. Plans of one profile share their mounts, so the text of a mount is made once; an unchanged list of
 * mounts is one piece of bytes for all its plans, and is never copied (the large profile of the bench `daemon`).
 */
export function renderPlan(
  { format_version, session, mount_points }: PublicPlan,
  view: PlanViewName,
): Pieces {
  const head = `{"format_version":${format_version},"session":${JSON.stringify(session)},`;
  return [encoder.encode(head), tailOf(mount_points, view)];
}

function tailOf(mounts: readonly MountPoint[], view: PlanViewName): Uint8Array<ArrayBuffer> {
  const known = tails.get(mounts) ?? new Map<PlanViewName, Uint8Array<ArrayBuffer>>();
  tails.set(mounts, known);
  const made = known.get(view) ?? encoder.encode(`${makeTail(mounts, view)}}`);
  known.set(view, made);
  return made;
}

function makeTail(mounts: readonly MountPoint[], view: PlanViewName): string {
  if (view === 'ids') return `"mount_points":${JSON.stringify(mounts.map(({ module_id }) => module_id))}`;
  const flat = `"mount_points":[${mounts.map(mountText).join(',')}]`;
  if (view === 'flat') return flat;
  const single = (name: string, kind: MountKind) => {
    const mount = mounts.find(({ module_type }) => module_type === kind);
    return `"${name}":${mount ? mountText(mount) : 'null'}`;
  };
  const views = VIEWS.map(([name, kind]) => {
    const members = mounts
      .filter(({ module_type }) => module_type === kind)
      .map((mount) => `${JSON.stringify(mount.module_id)}:${mountText(mount)}`);
    return `"${name}":{${members.join(',')}}`;
  });
  return [
    flat,
    single('orchestrator', 'orchestrator'),
    single('context_manager', 'context-manager'),
    ...views,
    '"profiles":{}',
  ].join(',');
}

function mountText(mount: MountPoint): string {
  const known = mountTexts.get(mount);
  if (known !== undefined) return known;
  const text = JSON.stringify(mount);
  mountTexts.set(mount, text);
  return text;
}

/** How many mounts of each kind a plan has. */
export function countKinds(mounts: readonly MountPoint[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { module_type } of mounts) counts[module_type] = (counts[module_type] ?? 0) + 1;
  return counts;
}
