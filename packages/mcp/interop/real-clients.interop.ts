// Real MCP clients of other makers and generations, installed by `npm run interop`, against `amplifier mcp`. Loopback only.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, McpScene } from '../test-support/mcp-scene.js';
import { CLIENTS, type RealClient } from './clients.js';

const modules = join(process.env.INTEROP_AGENTS_FOLDER ?? '', 'node_modules');
const wanted = (process.env.INTEROP_AGENTS ?? '').split(',');

for (const [id, open] of Object.entries(CLIENTS)) {
  if (!wanted.includes(id)) it.skip(`SKIPPED: ${id} was not asked for`, () => {});
  else if (existsSync(join(modules, id))) describe(`${id}, the real one`, () => cases(open));
  else it.skip(`SKIPPED: ${id} is not installed, and nothing is shown for it`, () => {});
}

function cases(open: (modules: string, scene: McpScene) => Promise<RealClient>): void {
  let scene: McpScene;
  let client: RealClient;
  beforeAll(async () => {
    scene = await McpScene.create({ 'a.txt': 'one\n' });
    client = await open(modules, scene);
  });
  afterAll(async () => {
    await client.close();
    await scene[Symbol.asyncDispose]();
  });
  const refused = (code: string) => ({
    isError: true,
    content: [{ type: 'text', text: expect.stringMatching(new RegExp(`^${code}: `)) }],
    _meta: { 'amplifier/error': { code } },
  });
  const check = (answer: Answer, code: string) => expect(answer).toMatchObject(refused(code));

  it('lists the tools', async () => {
    expect(await client.tools()).toEqual(
      expect.arrayContaining(['delegate', 'review', 'setup', 'job_result']),
    );
  });

  it('delegates, and gets the answer as text and as structure', async () => {
    const answer = await client.call('delegate', { cli: 'explorer', prompt: '!say Found it.' });
    expect(answer.isError).toBeFalsy();
    expect(answer.structuredContent).toMatchObject({ result: { ok: true, text: 'Found it.' } });
    expect(answer.content[0]?.text).toContain('Found it.');
  });

  // The inspector is one process, with a server of its own, for each of them.
  it('gets what the other tools give, each in the form it promised', { timeout: 900_000 }, async () => {
    const { run_id, session_id } = await delegated(client);
    const calls: [tool: string, input: Record<string, string>, has: string][] = [
      ['capabilities', {}, 'agents'],
      ['list_roles', {}, 'roles'],
      ['list_jobs', {}, 'jobs'],
      ['activity', {}, 'active'],
      ['job_status', { job_id: run_id }, 'status'],
      ['job_result', { job_id: run_id }, 'result'],
      ['wait_job', { job_id: run_id }, 'result'],
      ['list_sessions', {}, 'sessions'],
      ['show_session', { session_id }, 'last'],
      ['plan', { cli: 'explorer', goal: '!say 1. Begin.' }, 'result'],
      ['analyze', {}, 'pairs'],
      ['list_proposals', {}, 'proposals'],
      ['clean_proposals', {}, 'proposals'],
      ['setup', {}, 'proposed'],
    ];
    for (const [tool, input, has] of calls) {
      const answer = await client.call(tool, input);
      expect(answer.isError, `${tool}: ${answer.content[0]?.text}`).toBeFalsy();
      expect(answer.structuredContent, tool).toHaveProperty(has);
    }
  });

  it('gets work that failed as a result, with its code', async () => {
    const answer = await client.call('delegate', { cli: 'explorer', prompt: '!fail 400 broken' });
    expect(answer.structuredContent).toMatchObject({
      result: { ok: false, error: { code: 'INVALID_REQUEST' } },
    });
  });

  it('sees why a call was refused, with its code', async () => {
    check(await client.call('job_result', { job_id: 'nope' }), 'JOB_NOT_FOUND');
    check(await client.call('delegate', { cli: 'nobody', prompt: 'x' }), 'UNKNOWN_TARGET');
    check(
      await client.call('delegate', { cli: 'explorer', prompt: 'x', safety_mode: 'write' }),
      'WORKSPACE_NOT_TRUSTED',
    );
  });
}

/** Something to ask about. */
async function delegated(client: RealClient): Promise<{ run_id: string; session_id: string }> {
  const answer = await client.call('delegate', { cli: 'explorer', prompt: '!say Found it.' });
  return answer.structuredContent.result;
}
