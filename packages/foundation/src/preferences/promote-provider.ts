import { cloneJson, type JsonObject, type ModuleSpec, type MountPlan } from '@amplifier/core';
import { matchProvider, plannedProviders, priorityOf } from './match-provider.js';
import type { ProviderPreference } from './provider-preference.js';

/**
 * What a preference may set of a provider's config: how a model answers. What decides where a request goes, what it carries and who
 * pays for it (address, headers, keys) stays as the operator wrote it.
 */
export const PREFERENCE_CONFIG_KEYS: readonly string[] = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_output_tokens',
  'reasoning_effort',
  'extended_thinking',
  'thinking_budget_tokens',
  'verbosity',
  'enable_prompt_caching',
  'streaming',
  'timeout',
];

/**
 * The plan with the preferred provider first (priority 0) and its model as the default. Others at 0 or below move to 1:
 * left there, the order of the list would decide. A plan without the provider comes back as it is.
 */
export function promoteProvider(plan: MountPlan, { provider, model, config }: ProviderPreference): MountPlan {
  const planned = plannedProviders(plan);
  const chosen = matchProvider(provider, planned);
  if (!chosen) return plan;
  const specs = new Map(planned.map(({ index, spec }) => [index, spec]));
  const providers = (plan.providers ?? []).map((entry, index) => {
    const spec = specs.get(index);
    if (!spec) return entry;
    if (index !== chosen.index) return priorityOf(spec) > 0 ? entry : withConfig(spec, { priority: 1 });
    return withConfig(spec, { ...allowedConfig(config), priority: 0, default_model: model });
  });
  return { ...plan, providers };
}

/** The entry with other members in its config. */
export function withConfig(spec: ModuleSpec, config: JsonObject): ModuleSpec {
  return { ...spec, config: { ...cloneJson(spec.config ?? {}), ...cloneJson(config) } };
}

/** What of a preference's config is taken. */
export function allowedConfig(config: JsonObject = {}): JsonObject {
  const refused = refusedConfig(config);
  return Object.fromEntries(Object.entries(config).filter(([key]) => !refused.includes(key)));
}

/** Members of a preference's config that are not taken. */
export function refusedConfig(config: JsonObject = {}): string[] {
  return Object.entries(config)
    .filter(([key, value]) => !PREFERENCE_CONFIG_KEYS.includes(key) || !isPlainValue(value))
    .map(([key]) => key);
}

/** No text that stands for a variable of ours, and nothing that holds more members. */
function isPlainValue(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('${');
  return typeof value === 'number' || typeof value === 'boolean';
}

/** Some vendors put the name into the address: it must not lead elsewhere, nor stand for a variable of ours. */
export function isModelName(model: string): boolean {
  return /^[\w@][\w.:@/+~-]*$/.test(model) && !model.includes('..') && !model.includes('//');
}
