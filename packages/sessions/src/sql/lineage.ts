import type { JsonObject } from '@amplifier/core';

/** What the launch record of a session says as well. */
const LAUNCHED = [
  'session_id',
  'parent_id',
  'root_id',
  'trace_id',
  'depth',
  'tool_call_id',
  'parallel_group_id',
] as const;
/** What the first event of a session says as well. */
const CREATED = [...LAUNCHED, 'agent_name', 'created', 'project', 'profile_name'] as const;

/** What a session was created with and its row has in columns. Its other records are stored without it. */
export type Lineage = Readonly<Record<(typeof CREATED)[number], unknown>>;

/** Columns of a statement that reads sessions as `s`. */
export const LINEAGE_OF_SESSION = CREATED.map((name) => `s.${name}`).join(', ');

const BLANK_LAUNCHED = blank(LAUNCHED);
const BLANK_CREATED = blank(CREATED);

/** JSON leaves out what is undefined. The id is null instead, as a mark of what was left out. */
function blank(names: readonly string[]): JsonObject {
  return { ...Object.fromEntries(names.map((name) => [name, undefined])), session_id: null };
}

/** The data of a first event as it is stored. The row has the members that it gives. */
export function storedCreation(data: JsonObject): JsonObject {
  for (const name of CREATED) if (data[name] === undefined) return data;
  return { ...data, ...BLANK_CREATED };
}

/** A launch record as it is stored with its session. One that says something else, such as that of a copy, is stored whole. */
export function storedLaunch(launch: JsonObject, creation: JsonObject | undefined): JsonObject {
  for (const name of LAUNCHED)
    if (launch[name] === undefined || launch[name] !== creation?.[name]) return launch;
  return { ...launch, ...BLANK_LAUNCHED };
}

export function wholeCreation<Data extends object>(data: Data, session: Lineage): Data {
  return whole(data, session, CREATED);
}

export function wholeLaunch<Data extends object>(launch: Data, session: Lineage): Data {
  return whole(launch, session, LAUNCHED);
}

function whole<Data extends object>(stored: Data, session: Lineage, names: readonly (keyof Lineage)[]): Data {
  if ((stored as { session_id?: unknown }).session_id !== null) return stored;
  const own: JsonObject = {};
  for (const name of names) own[name] = session[name];
  return { ...own, ...stored, session_id: session.session_id };
}
