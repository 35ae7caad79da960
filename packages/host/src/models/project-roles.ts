import type { MountPlan, Provider } from '@amplifier/core';
import {
  composeMatrix,
  DEFAULT_MATRIX,
  loadMatrix,
  type ModelCatalog,
  type ModelRoleResolver,
  matrixRoleResolver,
  modelCatalog,
  ROUTING_DIR,
  type RootModels,
} from '@amplifier/foundation';
import type { Project } from '../project/project.js';

/** The roles of a project, over the providers that can be used. */
export async function projectRoles(
  project: Project,
  plan: MountPlan,
  providers: ReadonlyMap<string, Provider>,
  catalog: ModelCatalog = modelCatalog(providers),
): Promise<ModelRoleResolver> {
  const { matrix: name = DEFAULT_MATRIX, overrides } = project.settings.settings.routing ?? {};
  const matrix = await loadMatrix(name, [...project.paths.routing, ROUTING_DIR]);
  return matrixRoleResolver({ matrix: composeMatrix(matrix, overrides ?? {}), plan, providers, catalog });
}

/** The models that root sessions of a project can run on. */
export function projectModels(
  project: Project,
  plan: MountPlan,
  providers: ReadonlyMap<string, Provider>,
  catalog?: ModelCatalog,
): RootModels {
  return { plan, providers, catalog, roles: () => projectRoles(project, plan, providers, catalog) };
}
