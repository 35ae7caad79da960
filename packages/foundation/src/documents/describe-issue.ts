import { shorten } from '@amplifier/core';
import type { z } from 'zod';
import { FoundationError, type FoundationErrorCode } from '../errors.js';
import type { YamlMapping } from './parse-yaml.js';

/** As much of a value as helps to find it. */
const MAX_QUOTED = 200;

/** Says what was found where something else belongs, and what to write instead. For zod's `error` option. */
export function wanted(what: string, example: string) {
  return ({ input }: { input?: unknown }) =>
    input === undefined
      ? `is missing; write ${example}`
      : `must be ${what}, not ${nameOf(input)}; write ${example}`;
}

/** The first fault of a checked mapping as an error with file, line and remedy. */
export function mappingError(
  error: z.ZodError,
  mapping: YamlMapping,
  code: FoundationErrorCode,
): FoundationError {
  const issue = error.issues[0];
  const path = issue?.path ?? [];
  return new FoundationError(`${formatPath(path)} ${issue?.message ?? 'is not usable'}.`, {
    code,
    place: mapping.placeOf(path),
  });
}

function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'The frontmatter';
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function nameOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return `${typeof value} ${shorten(JSON.stringify(value) ?? '', MAX_QUOTED)}`;
}
