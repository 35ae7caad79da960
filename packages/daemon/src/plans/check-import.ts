import { isPlainObject, type JsonObject, parseBoundedJson } from '@amplifier/core';
import type { SessionEvent, SessionMetadata } from '@amplifier/sessions';
import type { Scope } from '../auth/scope.js';
import { DaemonError } from '../daemon-error.js';
import { MAX_IMPORT_LINES } from '../defaults.js';
import { parseProfileId } from '../profiles/profile-names.js';
import type { Services } from '../services.js';
import { profilePlan } from './build-plan.js';
import { checkRecord } from './import-records.js';
import { planDocument, planOf } from './plan-document.js';
import { MountPlanView, type PublicPlan } from './plan-schema.js';
import { checkPlanFor } from './scope-allows.js';

/**
 * The lines of an export as they may come in. An import is data: what a session may do is settled here when it first runs, so the
 * launch record of elsewhere is left out, and its plan may hold no more than the token could have asked for. Its place in a
 * tree is checked like that of a new session; where the importer has no such parent, it becomes a root.
 */
export async function* linesForImport(
  lines: AsyncIterable<string>,
  scope: Scope,
  services: Pick<Services, 'profiles' | 'plans'>,
): AsyncGenerator<string> {
  let count = 0;
  let session_id = '';
  let lineage: Lineage | null = null;
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
    if (entry?.kind === 'document' && entry.name === 'mount_plan') {
      const plan =
        scope === 'admin' ? importedPlan(entry.document) : await checkedPlan(entry.document, scope, services);
      // What is stored is what was checked, not what else the line has.
      yield JSON.stringify({ ...entry, document: planDocument(plan) });
      continue;
    }
    if (entry) checkRecord(entry, count);
    if (entry?.kind === 'amplifier-session') {
      // The last one would name the session, and the first its root.
      if (session_id !== '')
        throw new DaemonError('INVALID_EXPORT', 'The export begins twice. Export it again.');
      session_id = entry.session_id as string;
    }
    const event = entry?.kind === 'event' ? (entry.event as SessionEvent) : null;
    if (event?.name === 'session:created')
      lineage ??= await lineageOf(event.data, session_id, services.plans);
    yield event && lineage ? JSON.stringify({ ...entry, event: placed(event, lineage) }) : line;
  }
}

const LINES_AT_ONCE = 500;

type Lineage = Pick<SessionMetadata, 'parent_id' | 'root_id' | 'depth' | 'trace_id' | 'tool_call_id'>;

/** The place of an imported session: below a parent that the token could have named, or at the root. */
async function lineageOf(
  creation: JsonObject,
  session_id: string,
  plans: Services['plans'],
): Promise<Lineage> {
  const { parent_id, tool_call_id, trace_id } = creation as unknown as Lineage;
  const parent = parent_id == null || parent_id === session_id ? null : await plans.parentOf(parent_id);
  if (!parent) return { parent_id: null, root_id: session_id, depth: 0, trace_id, tool_call_id: null };
  const { root_id, depth } = parent;
  return {
    parent_id,
    root_id,
    depth: depth + 1,
    trace_id: parent.trace_id,
    tool_call_id: tool_call_id ?? null,
  };
}

function placed(event: SessionEvent, lineage: Lineage): SessionEvent {
  const { parent_id, root_id } = lineage;
  const data = event.name === 'session:created' ? { ...event.data, ...lineage } : event.data;
  return { ...event, parent_id, root_id, data };
}

const ImportedPlan = MountPlanView.pick({ format_version: true, session: true, mount_points: true });

function importedPlan(document: unknown): PublicPlan {
  try {
    return ImportedPlan.parse(planOf(document as JsonObject)) as PublicPlan;
  } catch (cause) {
    const message = 'The mount plan of the export cannot be read. Export it again.';
    throw new DaemonError('INVALID_EXPORT', message, { cause });
  }
}

async function checkedPlan(
  document: unknown,
  scope: Scope,
  { profiles }: Pick<Services, 'profiles'>,
): Promise<PublicPlan> {
  const plan = importedPlan(document);
  const profile = await profiles.load(parseProfileId(plan.session.profile_id));
  checkPlanFor(scope, profilePlan(profile), plan);
  return plan;
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
