import { z } from 'zod';
import { mappingError, wanted } from '../documents/describe-issue.js';
import { parseYamlMapping } from '../documents/parse-yaml.js';
import { FoundationError } from '../errors.js';
import { ProviderPreference } from '../preferences/provider-preference.js';

const RoleEntry = z.looseObject(
  {
    description: z.string({ error: wanted('text', 'description: what the role is for') }).default(''),
    candidates: z.array(ProviderPreference, {
      error: wanted('a list', 'candidates: [{ provider: anthropic, model: claude-sonnet-* }]'),
    }),
  },
  { error: wanted('a mapping', '{ description: …, candidates: […] }') },
);

/** Which models serve which role, in order of preference. */
export const RoutingMatrix = z.looseObject({
  name: z.string({ error: wanted('text', 'name: my-matrix') }),
  description: z.string({ error: wanted('text', 'description: …') }).default(''),
  updated: z.coerce.string().optional(),
  roles: z.record(z.string(), RoleEntry, {
    error: wanted('a mapping of roles', 'roles: { general: { description: …, candidates: […] } }'),
  }),
});
export type RoutingMatrix = z.infer<typeof RoutingMatrix>;

/** Reads a matrix file. Throws with file and line. */
export function parseMatrix(text: string, file: string): RoutingMatrix {
  const mapping = parseYamlMapping({ text, file });
  const path = pathOfBase(mapping.data);
  if (path) {
    throw new FoundationError(
      `${path.join('.')} holds the word base. It means "what the matrix has" and is only for overrides; name a provider and model here.`,
      { code: 'INVALID_MATRIX', place: mapping.placeOf(path) },
    );
  }
  const checked = RoutingMatrix.safeParse(mapping.data);
  if (checked.success) return checked.data;
  throw mappingError(checked.error, mapping, 'INVALID_MATRIX');
}

/** What is odd about a matrix that can be used all the same. One sentence each. */
export function matrixWarnings({ roles }: RoutingMatrix): string[] {
  const missing = ['general', 'fast']
    .filter((role) => !Object.hasOwn(roles, role))
    .map((role) => `The role ${role} is missing; agents and settings count on it.`);
  const described = Object.entries(roles).flatMap(([role, { description, candidates }]) => [
    ...(description ? [] : [`The role ${role} has no description; a model cannot tell when to ask for it.`]),
    ...(candidates.length > 0 ? [] : [`The role ${role} has no candidates; it resolves to nothing.`]),
  ]);
  return [...missing, ...described];
}

function pathOfBase(data: Record<string, unknown>): string[] | null {
  const roles = (data.roles ?? {}) as Record<string, { candidates?: unknown } | null>;
  for (const [role, entry] of Object.entries(roles)) {
    const candidates = entry?.candidates;
    const index = Array.isArray(candidates) ? candidates.indexOf('base') : -1;
    if (index !== -1) return ['roles', role, 'candidates', String(index)];
  }
  return null;
}
