import type { Body, Json } from '../api/types.js';

type Delegation = Body<'/api/v1/sessions/{session_id}/delegate'>;

/** Before the id of a child that is given another task, in the place of an agent's name. */
export const AGAIN = 'again:';

/** What the form says as the options of a delegation. What was left empty is left to the daemon. */
export async function delegateRequest(form: FormData): Promise<Delegation> {
  const said = (name: string): string => String(form.get(name) ?? '').trim();
  const request: Delegation & Json = { instruction: said('instruction') };
  const who = said('agent');
  if (who.startsWith(AGAIN)) request.session_id = who.slice(AGAIN.length);
  else request.agent = who;
  for (const name of TEXTS) if (said(name) !== '') request[name] = said(name);
  for (const name of NUMBERS) if (said(name) !== '') request[name] = Number(said(name));
  const [provider = '', ...model] = said('model').split('/');
  if (provider !== '')
    request.provider_preferences = [{ provider: provider.trim(), model: model.join('/').trim() }];
  const network = said('network');
  if (network !== '') request.network = network === 'false' ? false : (network as 'tools');
  const skills = said('skills')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  if (skills.length > 0) request.skills = skills;
  if (said('output_schema') !== '') request.output_schema = schemaIn(said('output_schema'));
  const files = form.getAll('attachments').filter(isFile);
  if (files.length > 0) request.attachments = await Promise.all(files.map(attached));
  return request;
}

const TEXTS = ['context_depth', 'context_scope', 'model_role', 'safety_mode', 'isolation', 'hand_back'];
const NUMBERS = ['context_turns', 'timeout', 'max_result'];

function schemaIn(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The schema of the answer is not JSON: ${(error as Error).message}`);
  }
}

type Given = Exclude<ReturnType<FormData['get']>, string | null>;
/** A field without a file has an empty one. */
const isFile = (each: Given | string): each is Given => typeof each !== 'string' && each.size > 0;

async function attached(file: Given): Promise<{ name: string; data: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return { name: file.name, data: btoa(text) };
}
