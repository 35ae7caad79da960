import { freezeJson } from '@amplifier/core';
import { z } from 'zod';
import { SYSTEM_FOLDERS } from '../defaults.js';
import { isolationAround } from '../isolation/isolation-record.js';
import { protectedBelow, protectedPaths } from '../trust/protected-paths.js';
import { type Grant, type NetworkAccess, READ_ONLY_GRANT, withoutForeignPaths } from './grant.js';
import { foldersNow } from './own-homes.js';
import { isWithin, pathScope } from './path-scope.js';
import { realGrant } from './resolve-inside.js';
import { secretPaths } from './secret-paths.js';

/**
 * - `read_only`: look, run commands that cannot change anything, change nothing.
 * - `propose`: work in an isolated tree, always; its changes come back as a patch that is not applied.
 * - `write`: change files below the working directory.
 * - `yolo`: change files anywhere but in our own homes, run commands without a sandbox where there is none.
 */
export const SafetyMode = z.enum(['read_only', 'propose', 'write', 'yolo']);
export type SafetyMode = z.infer<typeof SafetyMode>;

/** Absolute paths and globs that no tool and no command may read. */
export interface Unreadable {
  paths: readonly string[];
  globs: readonly string[];
}

export interface SafetyContext {
  /** The real path of the user's folder. Not writable in `propose`, whose isolated tree is added when the tree is made. */
  cwd: string;
  /** Does the user trust this folder? */
  trusted: boolean;
  /** The user's home, to keep the places where secrets lie out of reach in all modes but `yolo`. */
  home?: string | undefined;
  /** Folders of this runtime's own state, out of reach in every mode. Default: those of this process. */
  homes?: readonly string[] | undefined;
  /** Folders with isolated trees, out of reach in every mode but for the tree that `cwd` is in. Default: those of this process. */
  trees?: readonly string[] | undefined;
  /**
   * The only folders that may be read, beside `cwd` and what programs need (`SYSTEM_FOLDERS`); in every mode nothing else is written
   * and no command runs without a sandbox. Default: everything.
   */
  readable?: readonly string[] | undefined;
  /** More that must not be read, in every mode. */
  unreadable?: Unreadable | undefined;
  /** More folders that may be written where the mode allows writing, such as a temporary folder. */
  writable?: readonly string[] | undefined;
  /** More that acts later and must not be written, such as the scripts a trusted project names. */
  locked?: readonly string[] | undefined;
  /** What may reach the network. Default: everything in a trusted folder, else all but commands. */
  network?: NetworkAccess | undefined;
  /** In `write`: may commands run without a sandbox? The operator's choice for machines that have none. Default false. */
  unconfinedExec?: boolean | undefined;
}

/** `write` and `yolo` act on the user's own files, so the user must have said that the folder may be acted on. */
export function requiresTrust(mode: SafetyMode): boolean {
  return mode === 'write' || mode === 'yolo';
}

/** Does the first allow more than the second? */
export function isWiderMode(mode: SafetyMode, than: SafetyMode): boolean {
  const order = SafetyMode.options;
  return order.indexOf(mode) > order.indexOf(than);
}

/** The mode that is wanted where it is tighter, else the one that was given. */
export function tighterMode(given: SafetyMode, wanted: SafetyMode | undefined): SafetyMode {
  return wanted !== undefined && isWiderMode(given, wanted) ? wanted : given;
}

/** The most a session in this mode may do. A mode that requires trust is worth `read_only` where there is none. */
export function grantForSafetyMode(mode: SafetyMode, context: SafetyContext): Grant {
  const { cwd, trusted, home, readable, writable, locked, unconfinedExec } = context;
  const { network = trusted ? true : 'tools' } = context;
  const own = foldersNow();
  const { homes = own.homes, trees = own.trees } = context;
  const rest = [trees, readable, writable, locked, network, unconfinedExec, context.unreadable];
  const asked = JSON.stringify([mode, cwd, trusted, home, homes, ...rest]);
  const known = MADE.get(asked);
  if (known) return known;
  if (MADE.size >= MOST_MADE) MADE.clear();
  const made = freezeJson(makeGrant(mode, { ...context, homes, trees, network }));
  MADE.set(asked, made);
  return made;
}

/** By what they were made of, for sessions that follow each other in one folder: `npm run bench -- delegation` shows it. */
const MADE = new Map<string, Grant>();
const MOST_MADE = 100;

function makeGrant(
  mode: SafetyMode,
  context: SafetyContext & { homes: readonly string[]; trees: readonly string[]; network: NetworkAccess },
): Grant {
  const { cwd, trusted, readable, writable = [], unconfinedExec = false, homes, trees, network } = context;
  const { paths: hidden, globs } = context.unreadable ?? { paths: [], globs: [] };
  const effective = requiresTrust(mode) && !trusted ? 'read_only' : mode;
  const closed = [...homes, ...trees];
  const ownTrees = trees.flatMap((folder) => isolationAround(folder, cwd) ?? []);
  const unread = { deny_globs: [...globs], deny_except: ownTrees.map(({ folder }) => folder) };
  const unwritten = { deny_except: ownTrees.map(({ tree }) => tree) };
  const secrets = [...closed, ...(context.home === undefined ? [] : secretPaths(context.home))];
  const kept = [
    ...secrets,
    ...[cwd, ...writable].flatMap((folder) => protectedPaths(folder, context.home)),
    ...(context.locked ?? []),
  ];
  const { home } = context;
  const refuse_start_up = home !== undefined && isWithin(cwd, home) ? [home] : [];
  const own = readable && [cwd, ...readable];
  const seen = own ? [...own, ...SYSTEM_FOLDERS] : ['/'];
  const looking: Grant = {
    ...READ_ONLY_GRANT,
    read: pathScope(seen, [...secrets, ...hidden], unread),
    exec: 'confined',
    network,
    delegate: true,
  };
  switch (effective) {
    case 'read_only':
      return looking;
    case 'propose':
      return { ...looking, write: pathScope(writable, kept, unwritten) };
    case 'write':
      return {
        ...looking,
        write: pathScope([cwd, ...writable], kept, { ...unwritten, refuse_acting: true, refuse_start_up }),
        exec: unconfinedExec && !own ? 'free' : 'confined',
      };
    case 'yolo':
      return {
        ...looking,
        read: pathScope(seen, [...closed, ...hidden], unread),
        write: pathScope(own ?? ['/'], closed, unwritten),
        exec: own ? 'confined' : 'free',
      };
  }
}

/** The same, with what the disk says: repositories below the folder are guarded as it is, and every path is real. */
export async function sessionGrant(mode: SafetyMode, context: SafetyContext): Promise<Grant> {
  const { cwd, home } = context;
  const below = mode === 'yolo' || mode === 'read_only' ? [] : await protectedBelow(cwd, home);
  const locked = [...(context.locked ?? []), ...below];
  return withoutForeignPaths(await realGrant(grantForSafetyMode(mode, { ...context, locked })));
}
