import { cloneJson, isSecretName, type JsonObject, type ModuleSpec, type MountPlan } from '@amplifier/core';
import { matchProvider, plannedProviders, priorityOf } from './match-provider.js';
import type { ProviderPreference } from './provider-preference.js';

/** What decides where a request goes and who pays for it. A preference must not change it. */
export const PROTECTED_CONFIG_KEYS: readonly string[] = [
  'api_key',
  'secret',
  'password',
  'token',
  'access_token',
  'bearer_token',
  'client_id',
  'client_secret',
  'tenant_id',
  'base_url',
  'host',
  'azure_endpoint',
  'api_version',
  'deployment_name',
  'organization',
  'project',
  'managed_identity_client_id',
  'use_managed_identity',
  'use_default_credential',
  'proxy',
  'http_proxy',
  'https_proxy',
  'verify_ssl',
  'ssl_verify',
  'verify',
  'ca_bundle',
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

function withConfig(spec: ModuleSpec, config: JsonObject): ModuleSpec {
  return { ...spec, config: { ...cloneJson(spec.config ?? {}), ...cloneJson(config) } };
}

function allowedConfig(config: JsonObject = {}): JsonObject {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !isProtected(key)));
}

function isProtected(key: string): boolean {
  return PROTECTED_CONFIG_KEYS.includes(key.toLowerCase()) || isSecretName(key);
}
