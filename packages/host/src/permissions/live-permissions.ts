import { type MountPlan, moduleSpec } from '@amplifier/core';
import { FileMemo, writeSetting } from '@amplifier/foundation';
import {
  decidePermission,
  type PermissionCall,
  type PermissionRule,
  type PermissionVerdict,
  readRules,
  type SessionPermissions,
} from '@amplifier/modules';
import type { Environment } from '../environment.js';
import type { HostPaths } from '../host-paths.js';
import { readSettings } from '../trust/folder-trust.js';
import { trustFile } from '../trust/trust-notes.js';
import { permissionFiles, readPermissions, tilde } from './read-permissions.js';

/** Sessions whose "always" is kept in mind at once; the oldest is asked again. */
const MAX_CONVERSATIONS = 1_000;

/** The rules of a folder as its files say at the moment, and what was allowed in each conversation that is held here. */
export class LivePermissions {
  readonly #paths: HostPaths;
  readonly #environment: Environment;
  readonly #given = new Map<string, { rules: PermissionRule[]; exact: Set<string> }>();
  readonly #read = new FileMemo<PermissionRule[]>();
  #known = 0;

  private constructor(paths: HostPaths, environment: Environment) {
    this.#paths = paths;
    this.#environment = environment;
  }

  /** Rejects when the rules cannot be read. */
  static async open(paths: HostPaths, environment: Environment): Promise<LivePermissions> {
    const permissions = new LivePermissions(paths, environment);
    await permissions.rules();
    return permissions;
  }

  /** Were there any when they were last read? */
  get hasRules(): boolean {
    return this.#known > 0;
  }

  /** What the files say to one call; null where they say nothing. */
  async decide(call: PermissionCall): Promise<PermissionVerdict | null> {
    return decidePermission(await this.rules(), call);
  }

  /** Read anew when a file has changed. */
  async rules(): Promise<PermissionRule[]> {
    const rules = await this.#read.get('', async (places) => {
      const { own, claude } = permissionFiles(this.#paths, this.#environment);
      for (const file of [...Object.values(own), ...Object.values(claude)]) places.add(file);
      const { rules, trust } = await readPermissions(this.#paths, this.#environment);
      places.add(trustFile(this.#paths.home, trust.folder));
      return rules;
    });
    this.#known = rules.length;
    return rules;
  }

  /** For every session of one tree. */
  of(root_id: string): SessionPermissions {
    const given = this.#given.get(root_id) ?? { rules: [], exact: new Set<string>() };
    this.#given.delete(root_id);
    this.#given.set(root_id, given);
    for (const oldest of this.#given.keys()) {
      if (this.#given.size <= MAX_CONVERSATIONS) break;
      this.#given.delete(oldest);
    }
    return {
      rules: async () => [...(await this.rules()), ...given.rules],
      allowHere: (rule) => {
        given.rules.push(...readRules({ allow: [rule] }, 'this conversation'));
      },
      exact: given.exact,
      file: tilde(this.#paths.settings.user),
      write: (rule) => writeRule(this.#paths, 'allow', rule),
    };
  }
}

/** Adds a rule to the user's own settings. One that is there stays as it is. */
async function writeRule(paths: HostPaths, action: 'allow', text: string): Promise<void> {
  const { scopes } = await readSettings(paths);
  const section = (scopes.user?.permissions ?? {}) as Record<string, unknown>;
  const listed = Array.isArray(section[action]) ? section[action] : [];
  if (listed.includes(text)) return;
  const { settings, keys } = paths;
  await writeSetting({
    file: settings.user,
    keysFile: keys,
    path: ['permissions', action],
    value: [...listed, text],
  });
}

/** A session whose plan mounts no approval of its own is held by the rules alone: what they do not name is as before. */
export function mountRules(plan: MountPlan): void {
  const isOurs = (hook: unknown) => {
    const spec = moduleSpec(hook);
    return spec?.module === 'hooks-approval' && spec.config?.standalone !== true;
  };
  if ((plan.hooks ?? []).some(isOurs)) return;
  const rules = { module: 'hooks-approval', id: 'hooks-approval:rules', config: { rules: [] } };
  plan.hooks = [...(plan.hooks ?? []), rules];
}
