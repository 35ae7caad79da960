import { HttpAgent as OldAgent } from 'ag-ui-client-0';
import { HttpAgent as NewAgent } from 'ag-ui-client-1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, delegate, script } from '../../test-support/run-profile.js';

let bench: RunBench;
beforeAll(async () => {
  bench = await RunBench.start();
});
afterAll(() => bench[Symbol.asyncDispose]());

interface Told {
  type: string;
  subagentRunId?: string;
  name?: string;
  toolCallName?: string;
  delta?: string;
  content?: string;
  parentToolCallId?: string;
  toolCallId?: string;
  outcome?: { type: string; interrupts?: { id: string; message: string; subagentRunId?: string }[] };
}

/** The parts of both clients that the test uses. */
interface Agent {
  messages: unknown[];
  runAgent(parameters: object, subscriber: object): Promise<unknown>;
}

const CLIENTS: [string, new (config: { url: string; headers: Record<string, string> }) => Agent][] = [
  ['0.0.59', OldAgent as never],
  ['1.0.0', NewAgent as never],
];

describe.each(CLIENTS)('the official AG-UI client %s', (_, HttpAgent) => {
  const told: Told[] = [];
  const subscriber = {
    onEvent: ({ event }: { event: Told }) => {
      told.push(event);
    },
  };
  const of = (type: string) => told.filter((event) => event.type === type);

  it('runs a conversation with two children and an approval, which it resumes', async () => {
    told.length = 0;
    const id = await bench.session();
    const { url, token } = bench.daemon.daemon;
    const agent = new HttpAgent({
      url: `${url}/api/v1/ag-ui/${id}`,
      headers: { authorization: `Bearer ${token}` },
    });
    const write = call('write_file', { file_path: `ag-ui-${Math.random()}.txt`, content: 'x' });
    const children = [
      delegate({ agent: 'scout', instruction: '!say I looked around.' }),
      delegate({ agent: 'scribe', instruction: script(write, '!say I wrote it down.') }),
    ];
    agent.messages = [{ id: 'u1', role: 'user', content: script(children, '!say Both are done.') }];
    await agent.runAgent({ runId: 'first' }, subscriber);
    expect(of('RUN_STARTED')).toHaveLength(1);
    const interrupted = of('RUN_FINISHED')[0]?.outcome;
    expect(interrupted).toMatchObject({ type: 'interrupt' });
    const [interrupt] = interrupted?.interrupts ?? [];
    expect(interrupt?.message).toContain('write_file');
    const scribe = of('SUBAGENT_STARTED').find(({ name }) => name === 'scribe');
    expect(interrupt?.subagentRunId).toBe(scribe?.subagentRunId);

    await agent.runAgent(
      {
        runId: 'second',
        resume: [{ interruptId: interrupt?.id, status: 'resolved', payload: { approved: true } }],
      },
      subscriber,
    );
    expect(of('RUN_FINISHED')[1]?.outcome).toEqual({ type: 'success' });
    expect(of('RUN_ERROR')).toEqual([]);
    expect(new Set(of('SUBAGENT_STARTED').map(({ name }) => name))).toEqual(new Set(['scout', 'scribe']));
    const calls = new Set(of('TOOL_CALL_START').map(({ toolCallId }) => toolCallId));
    for (const { parentToolCallId } of of('SUBAGENT_STARTED')) expect(calls).toContain(parentToolCallId);
    const ends = of('SUBAGENT_FINISHED').map(({ outcome, subagentRunId }) => [subagentRunId, outcome?.type]);
    expect(ends).toContainEqual([scribe?.subagentRunId, 'suspended']);
    expect(ends.filter(([, type]) => type === 'success')).toHaveLength(2);
    const said = (by: string | undefined) =>
      of('TEXT_MESSAGE_CONTENT')
        .filter(({ subagentRunId }) => subagentRunId === by)
        .map(({ delta }) => delta)
        .join('');
    const scout = of('SUBAGENT_STARTED').find(({ name }) => name === 'scout');
    expect(said(scout?.subagentRunId)).toBe('I looked around.');
    expect(said(scribe?.subagentRunId)).toBe('I wrote it down.');
    expect(said(undefined)).toBe('Both are done.');
    expect(
      of('TOOL_CALL_START')
        .map(({ toolCallName }) => toolCallName)
        .sort(),
    ).toEqual(['delegate', 'delegate', 'write_file']);
    expect(of('TOOL_CALL_RESULT')).toHaveLength(3);
    expect(of('TEXT_MESSAGE_START').length).toBe(of('TEXT_MESSAGE_END').length);
    const { root } = (await bench.daemon.get(`/api/v1/sessions/${id}/tree`)).body;
    expect(root).toMatchObject({ status: 'completed', outcome_status: 'completed' });
  });
});

it('is refused without an instruction, and for answers that nobody waits for', async () => {
  const id = await bench.session();
  const input = { threadId: 't', runId: 'r', messages: [], tools: [], context: [] };
  const empty = await bench.daemon.post(`/api/v1/ag-ui/${id}`, input);
  expect([empty.status, empty.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  await bench.run(id, '!say Hello.', { wait: 60 });
  const resume = [{ interruptId: 'nobody', status: 'resolved', payload: true }];
  const answer = await bench.daemon.post(`/api/v1/ag-ui/${id}`, { ...input, resume });
  expect([answer.status, answer.body.code]).toEqual([404, 'APPROVAL_NOT_FOUND']);
});

it('ends its stream when the token is revoked, and the run goes on', async () => {
  const { url } = bench.daemon.daemon;
  const { id: token_id, token } = (await bench.daemon.post('/api/v1/tokens', { scope: 'run' })).body;
  const follow = async (session_id: string, content: string) =>
    fetch(`${url}/api/v1/ag-ui/${session_id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: 't', runId: 'r', messages: [{ id: 'u', role: 'user', content }] }),
    });
  const id = await bench.session();
  const stream = await follow(id, '!hang');
  expect((await bench.daemon.call('DELETE', `/api/v1/tokens/${token_id}`)).status).toBe(204);
  const said = await stream.text();
  expect(said).toContain('"code":"UNAUTHENTICATED"');
  expect((await bench.daemon.get(`/api/v1/sessions/${id}/runs`)).body[0]?.status).toBe('running');
  await bench.daemon.post(`/api/v1/sessions/${id}/cancel`, {});
});

it('tells a failure as an error of the run', async () => {
  const id = await bench.session();
  const messages = [{ id: 'u', role: 'user', content: '!fail 401 no such key' }];
  const input = { threadId: 't', runId: 'r', messages, tools: [], context: [] };
  const { text } = await bench.daemon.post(`/api/v1/ag-ui/${id}`, input);
  expect(text).toContain('"type":"RUN_ERROR"');
  expect(text).toContain('no such key');
});
