import { fileURLToPath } from 'node:url';
import { isPlainObject, type JsonObject, type MountPlan, moduleSpec, type Provider } from '@amplifier/core';
import type { ModelCatalog } from '../preferences/model-catalog.js';
import { composeMatrix } from './compose-matrix.js';
import { loadMatrix } from './load-matrix.js';
import { type ModelRoleResolver, matrixRoleResolver } from './role-resolver.js';
import type { RoutingMatrix } from './routing-matrix.js';

/** Where the matrices of this package are. */
export const ROUTING_DIR = fileURLToPath(new URL('../../bundle/routing', import.meta.url));

/** The module that gives a plan its roles. */
export const ROUTING_HOOK = 'hooks-routing';

export const DEFAULT_MATRIX = 'balanced';

/** The matrix that a config of the routing hook means. Rejects when there is none of its name, or it cannot be used. */
export async function configuredMatrix(config: JsonObject): Promise<RoutingMatrix> {
  const { matrix, default_matrix, overrides, custom_routing_dirs } = config;
  const name = [matrix, default_matrix].find((value) => typeof value === 'string' && value !== '');
  const folders = Array.isArray(custom_routing_dirs)
    ? custom_routing_dirs.filter((dir) => typeof dir === 'string')
    : [];
  const file = await loadMatrix((name as string | undefined) ?? DEFAULT_MATRIX, [...folders, ROUTING_DIR]);
  return composeMatrix(file, isPlainObject(overrides) ? overrides : {});
}

/** The roles that a session of this plan would have, for whoever chooses models outside of it. Null for a plan without roles. */
export async function planRoles(
  plan: Pick<MountPlan, 'providers' | 'hooks'>,
  providers: ReadonlyMap<string, Provider>,
  catalog: ModelCatalog,
): Promise<ModelRoleResolver | null> {
  const hook = (plan.hooks ?? []).map(moduleSpec).find((spec) => spec?.module === ROUTING_HOOK);
  if (!hook) return null;
  return matrixRoleResolver({ matrix: await configuredMatrix(hook.config ?? {}), plan, providers, catalog });
}
