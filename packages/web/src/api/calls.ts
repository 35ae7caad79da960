import { type Answer, ask, get, post, read, remove } from './http.js';
import type {
  Agent,
  BrowserSession,
  InboxItem,
  Json,
  Message,
  Provider,
  Settings,
  Span,
  SpendRow,
  TranscriptPage,
  TreeAnswer,
  TreeSpend,
  TreeSummary,
} from './types.js';

const session = (id: string, rest = ''): string => `/sessions/${encodeURIComponent(id)}${rest}`;

function query(members: Record<string, string | number | boolean | null | undefined>): string {
  const given = Object.entries(members).filter(([, value]) => value != null && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

export const whoAmI = () => get<BrowserSession>('/session-of-browser');
export const signOut = (everywhere: boolean) => post('/sign-out', everywhere ? { everywhere: true } : {});
export const startDemo = () => post<{ session_id: string }>('/demo');

export const createSession = (request: Json) => post<{ session_id: string }>('/sessions', request);
export const readTree = (id: string, signal?: AbortSignal) => get<TreeAnswer>(session(id, '/tree'), signal);

export interface TranscriptRange {
  before?: number;
  after?: number;
  limit: number;
}

export async function readTranscript(
  id: string,
  range: TranscriptRange,
  signal?: AbortSignal,
): Promise<TranscriptPage> {
  const { before, after, limit } = range;
  const path = session(id, `/transcript${query({ before, after, limit })}`);
  const { body, headers } = await read<Message[]>(path, signal);
  const said = headers.get('x-has-more');
  return { messages: body, has_more: said === null ? body.length >= limit : said === 'true' };
}

export const readLaunch = (id: string, signal?: AbortSignal) => get<Json>(session(id, '/launch'), signal);
/** So many pages of a timeline are more than anybody looks at. */
const MOST_PAGES = 20;

export async function readTimeline(id: string): Promise<Span[]> {
  const spans: Span[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const path: string = session(id, `/timeline${query({ cursor })}`);
    const { body, headers }: Answer<Span[]> = await read<Span[]>(path);
    spans.push(...body);
    cursor = headers.get('x-next-cursor');
    if (cursor === null) break;
  }
  return spans;
}
export const readInbox = (limit = 50) => get<InboxItem[]>(`/inbox${query({ limit })}`);

export interface TreeWishes {
  query?: string;
  limit?: number;
}
export const listTrees = (wishes: TreeWishes) => get<TreeSummary[]>(`/trees${query({ ...wishes })}`);
/** Once: whoever types asks anew with the next letter. */
export const findTrees = async (wishes: TreeWishes) =>
  (await ask<TreeSummary[]>('GET', `/trees${query({ ...wishes })}`)).body;

export const giveInstruction = (id: string, instruction: string) =>
  post<Json>(session(id, '/runs'), { instruction });
export const steer = (id: string, text: string) => post<Json>(session(id, '/steer'), { text });
export const cancel = (id: string, scope: 'session' | 'subtree') =>
  post<Json>(session(id, '/cancel'), { scope });
export const continueRun = (id: string) => post<Json>(session(id, '/continue'));
export const fork = (id: string, turn?: number) =>
  post<{ session_id: string }>(session(id, '/fork'), turn === undefined ? {} : { turn });
export const delegateDryRun = (id: string, request: Json) =>
  post<Json>(session(id, '/delegate/dry-run'), request);
export const delegate = (id: string, request: Json) => post<Json>(session(id, '/delegate'), request);

export interface ApprovalAnswer {
  answer: string;
  message?: string;
}
export const answerApproval = (id: string, approval_id: string, answer: ApprovalAnswer) =>
  post<Json>(session(id, `/approvals/${encodeURIComponent(approval_id)}/answer`), answer);

export const readProposal = (id: string) => get<Json>(`/proposals/${encodeURIComponent(id)}`);
export const applyProposal = (id: string) => post<Json>(`/proposals/${encodeURIComponent(id)}/apply`);
export const discardProposal = (id: string) => remove<Json>(`/proposals/${encodeURIComponent(id)}`);

export const listAgents = () => get<Agent[]>('/agents');
export const findAgents = async () => (await ask<Agent[]>('GET', '/agents')).body;
export const dryRun = (request: Json) => post<Json>('/agents/dry-run', request);

export const readSpend = (by: string, from?: string, to?: string) =>
  get<SpendRow[]>(`/spend${query({ by, from, to })}`);
export const readDearest = () => get<TreeSpend[]>('/spend/trees?limit=10');

export const readSettings = () => get<Settings>('/settings');
export const readProviders = () => get<Provider[]>('/providers');
export const testProvider = (name: string) =>
  post<{ ok: boolean; detail: string }>(`/providers/${encodeURIComponent(name)}/test`);
export const listTokens = () => get<Json[]>('/tokens');
export const makeToken = (request: Json) => post<Json>('/tokens', request);
export const revokeToken = (id: string) => remove<Json>(`/tokens/${encodeURIComponent(id)}`);
export const readStatus = () => get<Json>('/status');
export const share = (id: string, expires_in: number) =>
  post<{ url: string }>(session(id, '/share'), { expires_in });
