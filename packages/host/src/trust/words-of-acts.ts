import { isPlainObject, type JsonObject } from '@amplifier/core';

/**
 * What a document of settings would do, in words: commands it runs, addresses it reaches, modules it loads and uses. What is
 * none of these is named by its place, so that nothing acts unseen.
 */
export function actsIn(document: JsonObject): string[] {
  const acts: string[] = [];
  for (const [name, member] of Object.entries(document)) {
    const before = acts.length;
    walk(member, acts, MODULE_LISTS.includes(name));
    if (acts.length === before) acts.push(`sets: ${name}${plainly(member)}`);
  }
  return [...new Set(acts)];
}

const MODULE_LISTS: readonly string[] = ['providers', 'tools', 'hooks'];

/** `ofModules`: is a list here one of modules, which may be named by their ids alone? */
function walk(value: unknown, acts: string[], ofModules: boolean): void {
  if (Array.isArray(value)) {
    for (const item of value)
      walk(ofModules && typeof item === 'string' ? { module: item } : item, acts, false);
    return;
  }
  if (!isPlainObject(value)) return;
  const { module, command, args, source, active, setup } = value;
  if (typeof module === 'string')
    acts.push(typeof source === 'string' ? `loads: ${module} from ${source}` : `uses: ${module}`);
  else if (typeof source === 'string') acts.push(`loads: ${source}`);
  if (typeof active === 'string') acts.push(`uses the bundle: ${active}`);
  const words = [command, args].flat().filter((word) => typeof word === 'string');
  if (typeof setup === 'string') acts.push(`runs: ${setup}`);
  if (command !== undefined) acts.push(`runs: ${words.join(' ')}`);
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === 'string') {
      if (/^\w+:\/\//.test(member)) acts.push(`reaches: ${member}`);
      else if (ALLOWS.has(key)) acts.push(`sets: ${key} to ${member}`);
      else if (isSourceMap(key, member)) acts.push(`loads: ${key} from ${member}`);
    } else if (key !== 'args' && key !== 'command')
      walk(member, acts, typeof module !== 'string' && MODULE_LISTS.includes(key));
  }
}

/** Members that say what is allowed. */
const ALLOWS = new Set([
  'default_action',
  'action',
  'default_on_timeout',
  'default_safety_mode',
  'engine',
  'orchestrator',
]);

/** `name: ./place`, as the section `sources` writes it. */
function isSourceMap(key: string, value: string): boolean {
  return key !== 'source' && key !== 'command' && /^(\.{1,2}\/|~\/|\/|git\+|npm:|file:)/.test(value);
}

function plainly(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? ` to ${value}` : '';
}
