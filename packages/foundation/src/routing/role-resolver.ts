import type { MountPlan, Provider } from '@amplifier/core';
import { plannedProviders } from '../preferences/match-provider.js';
import type { ModelCatalog } from '../preferences/model-catalog.js';
import {
  type PreferenceResolution,
  type ResolvedPreference,
  resolvePreferences,
} from '../preferences/resolve-preferences.js';
import type { RoutingMatrix } from './routing-matrix.js';

export interface RoleResolution extends PreferenceResolution {
  /** The role that could be served; null when none could. */
  role: string | null;
  /** Roles asked for that the matrix does not have. */
  unknown_roles: string[];
  /** No candidate could serve it: there is one provider, and this is its default model. */
  by_default?: true;
}

/** Turns a role into models. The capability `model_role_resolver`. */
export interface ModelRoleResolver {
  /** The matrix behind it. */
  readonly name: string;
  /** In the order of the matrix. */
  readonly known_roles: readonly string[];
  /** The candidates of the first role that has one, best first. Must not reject. */
  resolve(role: string | readonly string[]): Promise<RoleResolution>;
}

declare module '@amplifier/core' {
  interface Capabilities {
    model_role_resolver: ModelRoleResolver;
  }
}

export interface RoleResolverOptions {
  matrix: RoutingMatrix;
  /** The session's own: only providers that are mounted now are considered. */
  plan: Pick<MountPlan, 'providers'>;
  providers: ReadonlyMap<string, Provider>;
  catalog: ModelCatalog;
}

export function matrixRoleResolver({
  matrix,
  plan,
  providers,
  catalog,
}: RoleResolverOptions): ModelRoleResolver {
  return {
    name: matrix.name,
    known_roles: Object.keys(matrix.roles),
    async resolve(asked) {
      const unmet: RoleResolution['unmet'] = [];
      const unknown_roles: string[] = [];
      let known: string | null = null;
      for (const role of typeof asked === 'string' ? [asked] : asked) {
        const entry = Object.hasOwn(matrix.roles, role) ? matrix.roles[role] : undefined;
        if (!entry) {
          unknown_roles.push(role);
          continue;
        }
        known ??= role;
        const mounted = mountedProviders(plan, providers);
        const resolution = await resolvePreferences(mounted, entry.candidates, catalog);
        unmet.push(...resolution.unmet);
        if (resolution.candidates.length > 0)
          return { role, candidates: resolution.candidates, unmet, unknown_roles };
      }
      const only = known === null ? null : onlyModel(providers);
      if (only) return { role: known, candidates: [only], unmet, unknown_roles, by_default: true };
      return { role: null, candidates: [], unmet, unknown_roles };
    },
  };
}

/** With one provider there is nothing to route: each role that no candidate serves is served by its default model. */
function onlyModel(providers: ReadonlyMap<string, Provider>): ResolvedPreference | null {
  const [[provider, { defaultModel: model }] = ['', { defaultModel: undefined }], second] = [...providers];
  if (second || model === undefined) return null;
  return { provider, model, requested: { provider, model } };
}

/** The plan's providers that did mount, and those mounted without being in the plan. */
function mountedProviders(
  plan: Pick<MountPlan, 'providers'>,
  providers: ReadonlyMap<string, Provider>,
): Pick<MountPlan, 'providers'> {
  const planned = plannedProviders(plan).filter(({ mounted_as }) => providers.has(mounted_as));
  const names = new Set(planned.map(({ mounted_as }) => mounted_as));
  const unplanned = [...providers.keys()].filter((name) => !names.has(name));
  return {
    providers: [
      ...planned.map(({ spec }) => spec),
      ...unplanned.map((name) => ({ module: `provider-${name}` })),
    ],
  };
}
