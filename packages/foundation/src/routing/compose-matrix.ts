import { cloneJson, isPlainObject, type JsonObject, setOwn } from '@amplifier/core';
import { FoundationError } from '../errors.js';
import { ProviderPreference } from '../preferences/provider-preference.js';
import type { RoutingMatrix } from './routing-matrix.js';

type Candidates = RoutingMatrix['roles'][string]['candidates'];

/**
 * Lays overrides over a matrix, role by role. An override is a list of candidates, or `{description?, candidates}`. The
 * word `base` in the list stands for what the matrix has; without it the list replaces that. Roles not mentioned stay,
 * new ones are added. Inputs never change.
 */
export function composeMatrix(matrix: RoutingMatrix, overrides: JsonObject = {}): RoutingMatrix {
  const roles: RoutingMatrix['roles'] = cloneJson(matrix.roles);
  for (const [role, override] of Object.entries(overrides)) {
    const existing = Object.hasOwn(roles, role) ? roles[role] : undefined;
    const { description, candidates } = readOverride(role, override);
    setOwn(roles, role, {
      ...existing,
      description: description ?? existing?.description ?? '',
      candidates:
        candidates === undefined
          ? (existing?.candidates ?? [])
          : splice(role, candidates, existing?.candidates ?? []),
    });
  }
  return { ...cloneJson(matrix), roles };
}

function readOverride(role: string, override: unknown): { description?: string; candidates?: unknown[] } {
  if (Array.isArray(override)) return { candidates: override };
  if (isPlainObject(override)) {
    const { description, candidates } = override;
    if (candidates === undefined || Array.isArray(candidates)) {
      return {
        ...(typeof description === 'string' ? { description } : {}),
        ...(candidates === undefined ? {} : { candidates }),
      };
    }
  }
  throw invalid(role, 'must be a list of candidates or a mapping with one under candidates');
}

function splice(role: string, candidates: readonly unknown[], base: Candidates): Candidates {
  if (candidates.filter((candidate) => candidate === 'base').length > 1) {
    throw invalid(
      role,
      'has the word base more than once; write it where the matrix’s own candidates belong',
    );
  }
  return candidates.flatMap((candidate) => {
    if (candidate === 'base') return cloneJson(base);
    const checked = ProviderPreference.safeParse(candidate);
    if (checked.success) return [cloneJson(checked.data)];
    throw invalid(role, `holds a candidate that cannot be read: it ${checked.error.issues[0]?.message}`);
  });
}

function invalid(role: string, what: string): FoundationError {
  return new FoundationError(
    `The override of the role ${role} ${what}. For example: [{ provider: anthropic, model: claude-opus-* }, base].`,
    { code: 'INVALID_MATRIX' },
  );
}
