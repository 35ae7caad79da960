import { isPlainObject, type JsonObject } from '@amplifier/core';

/** A choice that a session of an agent offers, by whichever channel. */
export interface SessionChoice {
  channel: 'config_option' | 'set_model' | 'set_mode';
  /** Of the config option. */
  id: string;
  current: string | null;
  values: string[];
}

/** What a session offers, from the answer that opened it. All of it is untrusted. */
export interface SessionChoices {
  model: SessionChoice | null;
  mode: SessionChoice | null;
  effort: SessionChoice | null;
}

export function readChoices(response: unknown): SessionChoices {
  const answer = isPlainObject(response) ? response : {};
  const options = readOptions(answer.configOptions);
  return {
    model: pick(options, 'model', ['model']) ?? legacyModels(answer.models),
    mode: pick(options, 'mode', ['mode']) ?? sessionModes(answer.modes),
    effort: pick(options, 'thought_level', ['effort', 'reasoning_effort', 'thinking']),
  };
}

interface Option extends SessionChoice {
  category: string | null;
}

function readOptions(list: unknown): Option[] {
  const entries = Array.isArray(list) ? list.filter(isPlainObject) : [];
  return entries.flatMap((option) => {
    if (typeof option.id !== 'string' || (option.type !== undefined && option.type !== 'select')) return [];
    return [
      {
        channel: 'config_option' as const,
        id: option.id,
        category: typeof option.category === 'string' ? option.category : null,
        current: typeof option.currentValue === 'string' ? option.currentValue : null,
        values: valuesOf(option.options),
      },
    ];
  });
}

/** Flat, or in groups. */
function valuesOf(list: unknown): string[] {
  const entries = Array.isArray(list) ? list.filter(isPlainObject) : [];
  return entries.flatMap((entry: JsonObject) =>
    Array.isArray(entry.options)
      ? valuesOf(entry.options)
      : typeof entry.value === 'string'
        ? [entry.value]
        : [],
  );
}

/** The category decides; an id counts only for an option that has none. */
function pick(options: readonly Option[], category: string, ids: readonly string[]): SessionChoice | null {
  const found =
    options.find((option) => option.category === category) ??
    options.find((option) => option.category === null && ids.includes(option.id)) ??
    (category === 'thought_level' ? options.find((option) => ids.includes(option.id)) : undefined);
  if (!found) return null;
  const { category: _, ...choice } = found;
  return choice;
}

function legacyModels(models: unknown): SessionChoice | null {
  if (!isPlainObject(models) || !Array.isArray(models.availableModels)) return null;
  const values = models.availableModels
    .filter(isPlainObject)
    .flatMap(({ modelId }) => (typeof modelId === 'string' ? [modelId] : []));
  const current = typeof models.currentModelId === 'string' ? models.currentModelId : null;
  return { channel: 'set_model', id: 'model', current, values };
}

function sessionModes(modes: unknown): SessionChoice | null {
  if (!isPlainObject(modes) || !Array.isArray(modes.availableModes)) return null;
  const values = modes.availableModes
    .filter(isPlainObject)
    .flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const current = typeof modes.currentModeId === 'string' ? modes.currentModeId : null;
  return { channel: 'set_mode', id: 'mode', current, values };
}

/** Without what stands in brackets at its end. */
function withoutBrackets(value: string): string {
  const at = value.endsWith(')') ? value.lastIndexOf('(') : -1;
  return at === -1 ? value : value.slice(0, at);
}

/** The one value somebody meant: exact, else the only one that is the same but for case, or ends with `/wanted`. */
export function matchValue(wanted: string, values: readonly string[]): string | null {
  if (values.includes(wanted)) return wanted;
  const lower = wanted.toLowerCase();
  const near = [
    (value: string) => value.toLowerCase() === lower,
    (value: string) => value.toLowerCase().endsWith(`/${lower}`),
    (value: string) => withoutBrackets(value.toLowerCase()).endsWith(`|${lower}`),
  ];
  for (const fits of near) {
    const found = values.filter(fits);
    if (found.length === 1) return found[0] ?? null;
  }
  return null;
}
