import {
  Coordinator,
  cloneJson,
  errorInfo,
  instanceLabel,
  type ModuleLoader,
  type ModuleSourceResolver,
  type ModuleSpec,
  type MountPlan,
  moduleIdentity,
  moduleSpec,
  type Provider,
} from '@amplifier/core';
import { HostError } from '../host-error.js';

/** An entry of the plan's providers, and what became of it. */
export interface ProviderReading {
  spec: ModuleSpec;
  /** The name it would be mounted under; the module id when it mounts nothing. */
  name: string;
  provider: Provider | null;
  /** Why there is none. */
  problem: string | null;
}

/** Mounts each provider of a plan by itself, to see which of them can be used. Asks nobody over the network. */
export async function readProviders(
  plan: MountPlan,
  loader: ModuleLoader,
  sources: ModuleSourceResolver,
): Promise<ProviderReading[]> {
  const specs = (plan.providers ?? []).flatMap((entry) => moduleSpec(entry) ?? []);
  return Promise.all(specs.map((spec) => readProvider(spec, plan, loader, sources)));
}

async function readProvider(
  spec: ModuleSpec,
  plan: MountPlan,
  loader: ModuleLoader,
  sources: ModuleSourceResolver,
): Promise<ProviderReading> {
  const problems: string[] = [];
  const coordinator = new Coordinator({
    session: { id: 'providers', parent_id: null },
    plan,
    report: ({ message }) => problems.push(message),
  });
  try {
    const module = await loader.load(spec.module, spec.source, sources);
    await module.mount(coordinator, loader.prepareConfig(cloneJson(spec.config ?? {}), spec.module));
  } catch (error) {
    problems.push(errorInfo(error).message);
  }
  const [mounted] = coordinator.mounts.all('providers');
  if (mounted) {
    const [name, provider] = mounted;
    return { spec, name: instanceLabel(spec) ?? name, provider, problem: null };
  }
  const problem = problems.join(' ') || `${spec.module} mounted no provider.`;
  return { spec, name: instanceLabel(spec) ?? spec.module, provider: null, problem };
}

/** Those that can be used, by the name they are mounted under. */
export function usableProviders(readings: readonly ProviderReading[]): Map<string, Provider> {
  return new Map(readings.flatMap(({ name, provider }) => (provider ? [[name, provider] as const] : [])));
}

/** The providers of a plan by name, to tell whether two plans have the same: stored ones lack the secrets. */
export function namesOf({ providers = [] }: MountPlan): string {
  return JSON.stringify(
    providers.map((entry) => moduleSpec(entry)).map((spec) => spec && moduleIdentity(spec)),
  );
}

/** Why no model can be asked. */
export function noModel(readings: readonly ProviderReading[]): HostError {
  const why = readings.flatMap(({ problem }) => problem ?? []).join(' ');
  return new HostError(`No model is configured. ${why}`.trim(), { code: 'NO_MODEL' });
}
