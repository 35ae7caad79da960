import { ask, client, read, readAnswer } from './client.js';
import type { Body, Message, Span, TranscriptPage } from './types.js';

const of = (session_id: string, signal: AbortSignal | null = null) => ({
  params: { path: { session_id } },
  signal,
});
const ofProposal = (proposal_id: string) => ({ params: { path: { proposal_id } } });

export const whoAmI = () => read(() => client.GET('/api/v1/session-of-browser'));
export const signOut = (everywhere: boolean) =>
  ask(() => client.POST('/api/v1/sign-out', { body: everywhere ? { everywhere } : {} }));
export const startDemo = () => ask(() => client.POST('/api/v1/demo'));

export const createSession = (body: Body<'/api/v1/sessions'>) =>
  ask(() => client.POST('/api/v1/sessions', { body }));
export const readTree = (id: string, signal: AbortSignal | null = null) =>
  read(() => client.GET('/api/v1/sessions/{session_id}/tree', of(id, signal)), signal);

export interface TranscriptRange {
  before?: number;
  after?: number;
  limit: number;
}

export async function readTranscript(
  session_id: string,
  query: TranscriptRange,
  signal: AbortSignal | null = null,
): Promise<TranscriptPage> {
  const params = { path: { session_id }, query };
  const { body, headers } = await readAnswer(
    () => client.GET('/api/v1/sessions/{session_id}/transcript', { params, signal }),
    signal,
  );
  const said = headers.get('x-has-more');
  return {
    messages: body as unknown as Message[],
    has_more: said === null ? body.length >= query.limit : said === 'true',
  };
}

export const readLaunch = (id: string) =>
  read(() => client.GET('/api/v1/sessions/{session_id}/launch', of(id)));

/** The most pages of a timeline that are shown. */
const MOST_PAGES = 20;

export async function readTimeline(session_id: string): Promise<Span[]> {
  const spans: Span[] = [];
  const query: { cursor?: string } = {};
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = { path: { session_id }, query };
    const { body, headers } = await readAnswer(() =>
      client.GET('/api/v1/sessions/{session_id}/timeline', { params }),
    );
    spans.push(...body);
    const next = headers.get('x-next-cursor');
    if (next === null) break;
    query.cursor = next;
  }
  return spans;
}

export const readInbox = () => read(() => client.GET('/api/v1/inbox', { params: { query: { limit: 50 } } }));
export const listTrees = (limit: number) =>
  read(() => client.GET('/api/v1/trees', { params: { query: { limit } } }));
/** Once: whoever types asks anew with the next letter. */
export const findTrees = (query: { query?: string; limit: number }) =>
  ask(() => client.GET('/api/v1/trees', { params: { query } }));

export const giveInstruction = (id: string, instruction: string) =>
  ask(() => client.POST('/api/v1/sessions/{session_id}/runs', { ...of(id), body: { instruction } }));
export const steer = (id: string, text: string) =>
  ask(() => client.POST('/api/v1/sessions/{session_id}/steer', { ...of(id), body: { text } }));
export const cancel = (id: string, scope: 'session' | 'subtree') =>
  ask(() => client.POST('/api/v1/sessions/{session_id}/cancel', { ...of(id), body: { scope } }));
export const continueRun = (id: string) =>
  ask(() => client.POST('/api/v1/sessions/{session_id}/continue', { ...of(id), body: {} }));
export const fork = (id: string, turn?: number) =>
  ask(() =>
    client.POST('/api/v1/sessions/{session_id}/fork', {
      ...of(id),
      body: turn === undefined ? {} : { turn },
    }),
  );
export const share = (id: string, expires_in: number) =>
  ask(() => client.POST('/api/v1/sessions/{session_id}/share', { ...of(id), body: { expires_in } }));
export const delegateDryRun = (id: string, body: Body<'/api/v1/sessions/{session_id}/delegate/dry-run'>) =>
  ask(() => client.POST('/api/v1/sessions/{session_id}/delegate/dry-run', { ...of(id), body }));
export const delegate = (id: string, body: Body<'/api/v1/sessions/{session_id}/delegate'>) =>
  ask(() => client.POST('/api/v1/sessions/{session_id}/delegate', { ...of(id), body }));
export const agentsOf = (session_id: string) =>
  read(() =>
    client.GET('/api/v1/sessions/{session_id}/agents', {
      params: { path: { session_id }, query: { limit: 200 } },
    }),
  );

export const readApprovals = (session_id: string, signal: AbortSignal) => {
  const params = { path: { session_id }, query: { status: 'pending' as const } };
  return read(() => client.GET('/api/v1/sessions/{session_id}/approvals', { params, signal }), signal);
};
export const answerApproval = (
  session_id: string,
  approval_id: string,
  body: { answer: string; message?: string },
) =>
  ask(() =>
    client.POST('/api/v1/sessions/{session_id}/approvals/{approval_id}/answer', {
      params: { path: { session_id, approval_id } },
      body,
    }),
  );

export const readProposal = (id: string) =>
  read(() => client.GET('/api/v1/proposals/{proposal_id}', ofProposal(id)));
export const applyProposal = (id: string) =>
  ask(() => client.POST('/api/v1/proposals/{proposal_id}/apply', ofProposal(id)));
export const discardProposal = (id: string) =>
  ask(() => client.DELETE('/api/v1/proposals/{proposal_id}', ofProposal(id)));

export const listAgents = () => read(() => client.GET('/api/v1/agents'));
export const findAgents = () => ask(() => client.GET('/api/v1/agents'));
export const dryRun = (body: Body<'/api/v1/agents/dry-run'>) =>
  ask(() => client.POST('/api/v1/agents/dry-run', { body }));

export const readSpend = (by: 'day' | 'agent' | 'model' | 'project', from: string) =>
  read(() => client.GET('/api/v1/spend', { params: { query: { by, from } } }));
export const readDearest = () =>
  read(() => client.GET('/api/v1/spend/trees', { params: { query: { limit: 10 } } }));

export const readSettings = () => read(() => client.GET('/api/v1/settings'));
export const readStatus = () => read(() => client.GET('/api/v1/status'));
export const readProviders = () => read(() => client.GET('/api/v1/providers'));
export const testProvider = (provider: string) =>
  ask(() => client.POST('/api/v1/providers/{provider}/test', { params: { path: { provider } } }));
export const listTokens = () => read(() => client.GET('/api/v1/tokens'));
export const makeToken = (body: Body<'/api/v1/tokens'>) => ask(() => client.POST('/api/v1/tokens', { body }));
export const revokeToken = (token_id: string) =>
  ask(() => client.DELETE('/api/v1/tokens/{token_id}', { params: { path: { token_id } } }));
