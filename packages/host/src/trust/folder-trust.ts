import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { type Diagnostic, errorInfo, isPlainObject } from '@amplifier/core';
import {
  FileMemo,
  type LoadedSettings,
  loadSettings,
  mergeSettings,
  type Places,
  type Settings,
} from '@amplifier/foundation';
import {
  expandHome,
  isTrusted,
  isWithin,
  realPathOf,
  type TrustChange,
  trustWorkspace,
  untrustWorkspace,
} from '@amplifier/workspace';
import type { HostPaths } from '../host-paths.js';
import { type ActingPart, type ActingParts, actingParts, partKey } from './acting-parts.js';
import { inertSettings } from './inert-parts.js';
import { onlyTighter } from './only-tighter.js';
import { readNote, removeNote, trustFile, writeNote } from './trust-notes.js';
import { withoutVariables } from './without-variables.js';

/**
 * - `trusted`: a person said so, and what may act is what they saw.
 * - `changed`: a person trusts the folder, but not what may act now. Its files may be changed; nothing in it acts.
 * - `untrusted`: nobody said anything. Nothing in it acts.
 */
export type TrustState = 'trusted' | 'changed' | 'untrusted';

/** The one answer to whether the files of a folder may act. They are text unless the state is `trusted`. */
export interface FolderTrust extends ActingParts {
  state: TrustState;
  /** Its real path. */
  folder: string;
  /** Where the state is `changed`: what is new or changed since the person looked. */
  added: ActingPart[];
  /** Did a person say no to just this? */
  refused: boolean;
}

/** The settings that count in a folder, and whether its files may act. */
export interface TrustedSettings extends LoadedSettings {
  trust: FolderTrust;
  /** What of an untrusted folder cannot be used, and is left out. */
  left_out: Diagnostic[];
}

/** The folders a user trusts: by their own file alone, because a project must not be able to declare itself trusted. */
export function trustedWorkspaces({ scopes }: Pick<LoadedSettings, 'scopes'>): string[] {
  const section = scopes.user?.delegation;
  const listed = isPlainObject(section) ? section.trusted_workspaces : [];
  return Array.isArray(listed) ? listed.filter((folder) => typeof folder === 'string') : [];
}

/** Every entry point asks here, and only here. Reads files; runs nothing. */
export function folderTrust(paths: HostPaths): Promise<FolderTrust> {
  return trustWith(paths, new Set());
}

/** The trust in a folder, and the state of the files with settings and keys that apply there. */
interface TrustAndFiles {
  trust: FolderTrust;
  files: string[];
}

/** `folderTrust` for a server that asks before each turn: reads no file while no path that decides the answer has changed. */
export function keptFolderTrust(now?: () => number): (paths: HostPaths) => Promise<TrustAndFiles> {
  const memo = new FileMemo<TrustAndFiles>(now);
  return (paths) =>
    memo.get(paths.cwd, async (places) => {
      places.add(paths.keys);
      // Before they are read: a file that changes while it is read gives another state the next time.
      const files = [...Object.values(paths.settings), paths.keys].map(stateOf);
      return { trust: await trustWith(paths, places), files };
    });
}

/** Changes when the file does. */
function stateOf(file: string): string {
  try {
    const { mtimeMs, size } = statSync(file);
    return `${mtimeMs} ${size}`;
  } catch {
    return '';
  }
}

async function trustWith(paths: HostPaths, places: Places): Promise<FolderTrust> {
  const loaded = await load(paths);
  const trust = await judge(paths, loaded, places);
  const listed = trustedWorkspaces(loaded).map((folder) => expandHome(folder));
  const files = [...Object.values(paths.settings), trustFile(paths.home, trust.folder)];
  for (const path of [paths.cwd, ...listed, ...files]) places.add(path);
  return trust;
}

/** The settings of user, project and folder, with what the project may not say left out. */
export async function readSettings(paths: HostPaths): Promise<TrustedSettings> {
  const loaded = await load(paths);
  return { ...settled(loaded, await judge(paths, loaded, new Set())), left_out: loaded.left_out };
}

/** A file of the user's, or of a folder they trust, has to be usable. What anybody else wrote keeps nobody from working. */
async function load({ cwd, settings }: HostPaths): Promise<Omit<TrustedSettings, 'trust'>> {
  const own = await loadSettings({ user: settings.user });
  if (await isTrusted(await realPathOf(cwd), trustedWorkspaces(own)))
    return { ...(await loadSettings(settings)), left_out: [] };
  const left_out: Diagnostic[] = [];
  let { scopes } = own;
  for (const scope of ['project', 'local'] as const) {
    try {
      scopes = { ...scopes, ...(await loadSettings({ [scope]: settings[scope] })).scopes };
    } catch (error) {
      const { message } = errorInfo(error);
      left_out.push({
        level: 'warning',
        code: 'FOLDER_NOT_TRUSTED',
        message: `${cwd} is not trusted, and its invalid settings are skipped: ${message}`,
      });
    }
  }
  return { scopes, settings: Object.values(scopes).reduce(mergeSettings, {}), left_out };
}

/** Records that a person trusts the folder with its configuration as it is. Modules are pinned by `trustFolder`. */
export async function recordTrust(paths: HostPaths, seen: FolderTrust): Promise<TrustChange> {
  const change = await trustWorkspace(paths.settings.user, paths.cwd);
  const { digest, parts, files } = seen;
  await writeNote(paths.home, change.folder, { digest, parts, files });
  return { ...change, changed: change.changed || seen.state !== 'trusted' };
}

/** A person said no to what may act now: it stays text, and they are asked again only when it changes. */
export async function refuseFolder({ home }: HostPaths, { folder, digest }: FolderTrust): Promise<void> {
  const before = (await readNote(home, folder)) ?? { digest: '', parts: [] };
  await writeNote(home, folder, { ...before, refused: digest });
}

export async function untrustFolder(paths: HostPaths): Promise<TrustChange> {
  const change = await untrustWorkspace(paths.settings.user, paths.cwd);
  await removeNote(paths.home, change.folder);
  return change;
}

async function judge(paths: HostPaths, loaded: LoadedSettings, places: Places): Promise<FolderTrust> {
  const folder = await realPathOf(paths.cwd);
  const acting = await actingParts(paths, loaded, places);
  const note = await readNote(paths.home, folder);
  const refused = note?.refused === acting.digest;
  const trust = (state: TrustState, added: ActingPart[] = []) => ({
    ...acting,
    state,
    folder,
    added,
    refused,
  });
  if (!(await isTrusted(folder, trustedWorkspaces(loaded)))) return trust('untrusted');
  if (acting.digest === '') return trust('trusted');
  if (note?.digest === acting.digest) return trust('trusted');
  const known = new Set(note?.parts.map(partKey));
  return trust('changed', [
    ...acting.parts.filter((part) => !known.has(partKey(part))),
    ...changedFiles(acting.files, note?.files ?? {}).map((path) => ({
      file: relative(paths.cwd, path),
      what: 'changed',
    })),
  ]);
}

/** The innermost files and folders that are not as they were. */
function changedFiles(now: ActingParts['files'], before: ActingParts['files']): string[] {
  const isNew = (path: string) => !Object.hasOwn(before, path) && path.includes('/node_modules/');
  const changed = Object.keys(now).filter(
    (path) => isNew(path) || (Object.hasOwn(before, path) && before[path] !== now[path]),
  );
  return changed.filter((path) => !changed.some((other) => other !== path && isWithin(path, other)));
}

/** The scopes as far as each may go. */
function settled({ scopes }: LoadedSettings, trust: FolderTrust): Omit<TrustedSettings, 'left_out'> {
  const { user, project, local } = scopes;
  const allowed = allowedVariables(user);
  const bounded = (settings: Settings) =>
    onlyTighter(
      withoutVariables(trust.state === 'trusted' ? settings : inertSettings(settings), allowed),
      user,
    );
  const counted = {
    ...(user ? { user } : {}),
    ...(project ? { project: bounded(project) } : {}),
    ...(local ? { local: bounded(local) } : {}),
  };
  return { trust, scopes: counted, settings: Object.values(counted).reduce(mergeSettings, {}) };
}

/** Variables a user lets the files of trusted projects refer to, in the section `trust` of their own settings. */
export function allowedVariables(user: Settings | undefined): ReadonlySet<string> {
  const section = user?.trust;
  const names = isPlainObject(section) ? section.variables : [];
  return new Set(Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []);
}
