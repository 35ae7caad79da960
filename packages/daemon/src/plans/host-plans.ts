import { realpath } from 'node:fs/promises';
import type { Host } from '@amplifier/host';
import { DaemonError } from '../daemon-error.js';
import type { SessionHosts } from '../runs/session-hosts.js';
import type { PlanBase } from './plan-schema.js';
import { BUNDLES, providerMounts, publicPlan } from './public-plan.js';

/** What the user's own settings bring into plans: their bundles, and their providers for profiles that name none. */
export class HostPlans {
  /** May a session be made of the user's bundle? In a deployment each is made of a profile. */
  readonly servesBundles: boolean;
  readonly #hosts: () => SessionHosts;

  constructor(isUsers: boolean, hosts: () => SessionHosts) {
    this.servesBundles = isUsers;
    this.#hosts = hosts;
  }

  /** The plan of a bundle in a folder, by its name or as the settings there choose. Its texts are embedded, as a profile's are. */
  async ofBundle(bundle: string | undefined, working_dir: string | null): Promise<PlanBase> {
    const host = await this.#hostOf(bundle, working_dir);
    const { project, plan } = host;
    const cwd = await realpath(project.paths.cwd);
    const session = {
      profile_id: `${BUNDLES}${project.bundle.name || 'own'}`,
      settings: {},
      lock_hash: null,
      instruction: await host.bundlePrompt(cwd),
      session: {},
      task: {},
    };
    return publicPlan(plan, session);
  }

  /** Only a bundle that goes by a name in that folder: one that is named by its place would run whatever stands there. */
  async #hostOf(bundle: string | undefined, working_dir: string | null): Promise<Host> {
    const usual = await this.#hosts().in(working_dir);
    const { bundles, bundle: own } = usual.project;
    if (bundle === undefined || bundle === (own.name || 'own')) return usual;
    if (Object.hasOwn(bundles, bundle)) return this.#hosts().in(working_dir, bundle);
    throw new DaemonError(
      'PROFILE_NOT_FOUND',
      `No bundle is called '${bundle}' there. Choose one of: ${Object.keys(bundles).join(', ')}.`,
    );
  }

  /** The user's providers where a plan has none; offline, the one that needs no model in the place of all. */
  async withProviders(plan: PlanBase, working_dir: string | null): Promise<PlanBase> {
    const hosts = this.#hosts();
    const others = plan.mount_points.filter(({ module_type }) => module_type !== 'provider');
    const hasOwn = others.length < plan.mount_points.length;
    if (!hosts.offline && (hasOwn || !this.servesBundles)) return plan;
    const host: Host = this.servesBundles ? await hosts.in(working_dir) : await hosts.deployment();
    return { ...plan, mount_points: [...others, ...providerMounts(host.plan, plan.session.profile_id)] };
  }
}
