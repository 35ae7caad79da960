import { z } from 'zod';
import { wanted } from '../documents/describe-issue.js';
import { FoundationError } from '../errors.js';

const EXAMPLE = '{ provider: anthropic, model: claude-sonnet-* }';

const words = (example: string) =>
  z
    .string({ error: wanted('text', example) })
    .trim()
    .min(1, { error: `must not be empty; write ${example}` });

/** A wish for a model: which provider, which model (a glob is allowed) and settings for the call. */
export const ProviderPreference = z.object(
  {
    /** The instance id, module id or the module id without `provider-`. */
    provider: words('provider: anthropic').describe('Such as anthropic or openai.'),
    model: words('model: claude-sonnet-*').describe(
      'A model name; * matches anything, and the newest match is used.',
    ),
    config: z
      .record(z.string(), z.unknown(), { error: wanted('a mapping', 'config: { reasoning_effort: high }') })
      .optional(),
  },
  { error: wanted('a mapping', EXAMPLE) },
);
export type ProviderPreference = z.infer<typeof ProviderPreference>;

export const ProviderPreferences = z.array(ProviderPreference, { error: wanted('a list', `[${EXAMPLE}]`) });

/** Reads a preference list from anywhere: a tool call, an agent, a setting. Throws `INVALID_PREFERENCE`. */
export function parseProviderPreferences(value: unknown): ProviderPreference[] {
  const parsed = ProviderPreferences.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  throw new FoundationError(`provider_preferences${where.join('')} ${issue?.message}.`, {
    code: 'INVALID_PREFERENCE',
  });
}
