import { type MountPlan, moduleSpec } from '@amplifier/core';
import { type DelegateConfig, readDelegateConfig } from '@amplifier/delegation';

/** How a plan configures delegation, for a door that delegates itself. */
export function delegateConfigOf({ tools = [] }: MountPlan): DelegateConfig {
  const entry = tools.map(moduleSpec).find((spec) => spec?.module === 'tool-delegate');
  return readDelegateConfig(entry?.config ?? {});
}
