import { isoTime, isPlainObject, type JsonObject, parseBoundedJson } from '@amplifier/core';
import { z } from 'zod';
import { DaemonError } from '../daemon-error.js';
import { MAX_IMPORT_LINES } from '../defaults.js';
import type { Scope } from '../http/scope.js';
import { parseProfileId } from '../profiles/profile-names.js';
import type { Services } from '../services.js';
import { buildPlan } from './build-plan.js';
import { MountPoint, type StoredPlan } from './plan-schema.js';
import { checkPlanFor } from './scope-allows.js';

/**
 * The lines of an export as they may come in. An import is data: what a session may do is settled here when it first runs, so the
 * launch record of elsewhere is left out, and its plan may hold no more than whoever imports it could have asked for.
 */
export async function* linesForImport(
  lines: AsyncIterable<string>,
  scope: Scope,
  services: Pick<Services, 'profiles' | 'clock'>,
): AsyncGenerator<string> {
  let count = 0;
  for await (const line of lines) {
    // Other work gets its turn in between.
    if (count++ % LINES_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    if (count > MAX_IMPORT_LINES)
      throw new DaemonError(
        'PAYLOAD_TOO_LARGE',
        `The export has more than the ${MAX_IMPORT_LINES} lines that are accepted here. Import it on the command line: amplifier session import.`,
      );
    const entry = parseLine(line);
    if (entry?.kind === 'document' && entry.name === 'launch') continue;
    if (entry?.kind === 'document' && entry.name === 'mount_plan')
      await checkPlan(entry.document, scope, services);
    yield line;
  }
}

const LINES_AT_ONCE = 500;

const ImportedPlan = z.object({
  session: z.looseObject({
    profile_id: z.string(),
    instruction: z.string(),
    session: z.looseObject({}),
    task: z.looseObject({}),
  }),
  mount_points: z.array(MountPoint),
});

async function checkPlan(
  document: unknown,
  scope: Scope,
  { profiles, clock }: Pick<Services, 'profiles' | 'clock'>,
): Promise<void> {
  if (scope === 'admin') return;
  const { success, data } = ImportedPlan.safeParse(document);
  if (!success)
    throw new DaemonError('INVALID_EXPORT', 'The mount plan of the export cannot be read. Export it again.');
  const plan = data as unknown as StoredPlan;
  const profile = await profiles.load(parseProfileId(plan.session.profile_id));
  const named = { session_id: plan.session.session_id, parent_session_id: null, created_at: isoTime(clock) };
  checkPlanFor(scope, buildPlan(profile, { ...named, settings: {}, overlay: {} }), plan);
}

function parseLine(line: string): JsonObject | null {
  try {
    const entry = parseBoundedJson(line, 'A line of the export', {
      size: Number.POSITIVE_INFINITY,
      depth: 128,
    });
    return isPlainObject(entry) ? entry : null;
  } catch (error) {
    // What is no JSON is refused by the store, with its own words.
    if (error instanceof SyntaxError) return null;
    throw new DaemonError('INVALID_EXPORT', (error as Error).message, { cause: error });
  }
}
