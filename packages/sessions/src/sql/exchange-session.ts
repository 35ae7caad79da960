import { beginImported, type TakeInOptions } from '../draft-session.js';
import type { ExportedSession } from '../session-store.js';
import { topicsOf } from './create-session.js';
import { insertSession } from './insert-session.js';
import type { StoreContext } from './store-context.js';
import { recordTexts } from './write-records.js';

/** Takes in a session from elsewhere under the name it gets here, all of it or nothing. A fork shares nothing any more. */
export async function insertImported(
  { project, database }: StoreContext,
  session: ExportedSession,
  options: TakeInOptions,
): Promise<string> {
  const { metadata, mail, ...records } = beginImported(session, { project, ...options });
  const { session_id, parent_id } = metadata;
  const texts = recordTexts({ session_id, ...records });
  const extra = { name: 'extra' as const, body: JSON.stringify(metadata.extra), plan: null };
  const documents = [...texts.documents, extra];
  const draft = { ...texts, documents, metadata, mail, owner: null, tenant: database.tenant ?? '' };
  await database.write(() => insertSession(draft), { topics: topicsOf(session_id, parent_id) });
  return session_id;
}
