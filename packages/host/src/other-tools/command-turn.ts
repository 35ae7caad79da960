import { isPlainObject, type MountPlan, moduleSpec, type Provider } from '@amplifier/core';
import type { ExpandedInstruction } from '@amplifier/delegation';
import { agentPreferences, applyProviderPreferences, modelCatalog, planRoles } from '@amplifier/foundation';
import type { PromptCommand } from './commands.js';

/** What a command's file asks for beside its text, for its turn alone. Undefined where it asks for nothing. */
export function commandTurn(
  { name, model, allowed }: Pick<PromptCommand, 'name' | 'model' | 'allowed'>,
  providers: ReadonlyMap<string, Provider>,
): ExpandedInstruction['forTurn'] {
  if (Object.keys(model).length === 0 && allowed.length === 0) return undefined;
  return async (plan) => {
    const { plan: own, unmet } = await onModel(plan, model, providers);
    const warnings = unmet === null ? [] : [`The model that /${name} requests is not available. ${unmet}`];
    return { plan: allowed.length === 0 ? own : { ...own, ...withRules(own, allowed) }, warnings };
  };
}

async function onModel(
  plan: MountPlan,
  model: PromptCommand['model'],
  providers: ReadonlyMap<string, Provider>,
): Promise<{ plan: MountPlan; unmet: string | null }> {
  if (Object.keys(model).length === 0) return { plan, unmet: null };
  const models = modelCatalog(providers);
  const roles = await planRoles(plan, providers, models).catch(() => null);
  const preferences = await agentPreferences(model, roles);
  const applied = await applyProviderPreferences(plan, preferences, models);
  return { plan: applied.plan, unmet: applied.chosen ? null : applied.because };
}

/** Whoever asks a person before a tool runs asks nobody for these. What is denied stays denied. */
function withRules({ hooks = [] }: MountPlan, allowed: readonly string[]): Pick<MountPlan, 'hooks'> {
  const changed = hooks.map((entry) => {
    const spec = moduleSpec(entry);
    if (spec?.module !== 'hooks-approval' || spec.config?.standalone === true) return entry;
    const { permissions } = spec.config ?? {};
    const { allow = [], ...rules } = isPlainObject(permissions) ? permissions : {};
    const more = [...(Array.isArray(allow) ? allow : []), ...allowed];
    return { ...spec, config: { ...spec.config, permissions: { ...rules, allow: more } } };
  });
  return { hooks: changed };
}
