import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isPlainObject } from '@amplifier/core';
import { isWithin } from '@amplifier/workspace';
import { parseModuleId } from './module-id.js';
import { settingsIndex } from './mount-index.js';
import { MountPoint, PLAN_VERSION, type PostedPlan } from './plan-schema.js';

type Findings = Record<string, string[]>;

export interface PlanValidation {
  valid: boolean;
  errors: Findings;
  warnings: Findings;
}

const PREFIXES: Record<string, RegExp> = {
  provider: /^provider-/,
  tool: /^tool-/,
  hook: /^hooks?-/,
};

/** Checks a plan somebody wrote. Files are looked at only inside of `roots`, so a plan cannot ask what else is on the disk. */
export async function validatePlan(plan: PostedPlan, roots: readonly string[]): Promise<PlanValidation> {
  const errors = new Collected();
  const warnings = new Collected();
  if (plan.format_version !== PLAN_VERSION) {
    errors.add(
      'invalid_config',
      `format_version is ${plan.format_version}, and ${PLAN_VERSION} is read here`,
    );
  }
  const mounts: MountPoint[] = [];
  for (const [at, entry] of plan.mount_points.entries()) {
    const parsed = MountPoint.safeParse(entry);
    if (parsed.success) mounts.push(parsed.data);
    else {
      const [issue] = parsed.error.issues;
      errors.add('invalid_config', `mount_points.${at}.${issue?.path.join('.') ?? ''}: ${issue?.message}`);
    }
  }
  checkIds(plan, errors);
  for (const mount of mounts) await checkMount(mount, roots, errors, warnings);
  checkParts(mounts, errors, warnings);
  checkSettings(plan, mounts, warnings);
  return { valid: errors.isEmpty, errors: errors.found, warnings: warnings.found };
}

function checkIds({ mount_points }: PostedPlan, errors: Collected): void {
  const seen = new Set<string>();
  for (const { module_id } of mount_points) {
    if (seen.has(module_id)) errors.add('duplicate_ids', module_id);
    seen.add(module_id);
  }
}

async function checkMount(
  mount: MountPoint,
  roots: readonly string[],
  errors: Collected,
  warnings: Collected,
): Promise<void> {
  const { module_id, module_type, module = '', config } = mount;
  const parts = parseModuleId(module_id);
  if (!parts) errors.add('invalid_config', `${module_id}: is not written as collection/profile.kind.name`);
  else if (parts.kind !== module_type)
    errors.add('invalid_config', `${module_id}: is a ${module_type} by its module_type`);
  const prefix = PREFIXES[module_type];
  if (prefix && module !== '' && !prefix.test(module)) {
    warnings.add('unusual_names', `${module_id}: the module ${module} is not named like a ${module_type}`);
  }
  for (const variable of variablesIn(config)) {
    warnings.add('environment', `${module_id}: needs the environment variable ${variable}`);
  }
  const both = contradictions(config);
  if (both.length > 0) errors.add('invalid_config', `${module_id}: allows and denies ${both.join(', ')}`);
  if (mount.mount_type === 'embedded') {
    if (mount.content.trim() === '') errors.add('missing_resources', `${module_id}: its content is empty`);
    return;
  }
  await checkPath(module_id, mount.source_path, roots, errors);
}

async function checkPath(
  module_id: string,
  source_path: string,
  roots: readonly string[],
  errors: Collected,
): Promise<void> {
  if (source_path.startsWith('builtin:')) return;
  const path = localPath(source_path);
  if (path === null || !roots.some((root) => isWithin(root, path))) {
    errors.add('invalid_config', `${module_id}: path outside cache`);
    return;
  }
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (!isThere) errors.add('missing_resources', `${module_id}: ${source_path}`);
}

function checkParts(mounts: readonly MountPoint[], errors: Collected, warnings: Collected): void {
  const has = (kind: string) =>
    mounts.filter(({ module_type, enabled }) => module_type === kind && enabled).length;
  for (const kind of ['orchestrator', 'context-manager']) {
    if (has(kind) === 0) errors.add('invalid_config', `the plan has no ${kind}`);
    if (has(kind) > 1) errors.add('invalid_config', `the plan has more than one ${kind}`);
  }
  if (has('provider') === 0) warnings.add('incomplete', 'the plan has no provider, so it cannot run');
}

function checkSettings({ session }: PostedPlan, mounts: readonly MountPoint[], warnings: Collected): void {
  const settings = isPlainObject(session.settings) ? session.settings : {};
  if (!isPlainObject(settings.modules)) return;
  const index = settingsIndex(mounts);
  for (const key of Object.keys(settings.modules)) {
    if (index.find(key).length === 0) {
      warnings.add('unknown_modules', `settings.modules.${key} fits no module of the plan`);
    }
  }
}

/** All that are named, set or not: whoever asks must not learn what the daemon's environment holds. */
function variablesIn(value: unknown): string[] {
  const text = JSON.stringify(value) ?? '';
  const names = [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name = '']) => name);
  return [...new Set(names)];
}

/** Paths or tools that one config lists as allowed and as denied. */
function contradictions(config: Record<string, unknown>): string[] {
  const list = (pattern: RegExp) =>
    Object.entries(config).flatMap(([key, value]) =>
      pattern.test(key) && Array.isArray(value) ? value.map(String) : [],
    );
  const denied = new Set(list(/^denied_/));
  return list(/^allowed_/).filter((item) => denied.has(item));
}

function localPath(source: string): string | null {
  try {
    return source.startsWith('file://') ? fileURLToPath(source) : null;
  } catch {
    return null;
  }
}

class Collected {
  readonly found: Findings = {};

  get isEmpty(): boolean {
    return Object.keys(this.found).length === 0;
  }

  add(category: string, message: string): void {
    this.found[category] ??= [];
    this.found[category]?.push(message);
  }
}
