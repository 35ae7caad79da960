import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chaosAgentCommand } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, errorOf, McpScene } from '../test-support/mcp-scene.js';

const REPOSITORY = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const visible = [REPOSITORY];
const CARRIER = '---\nname: carrier\ndescription: Carries.\nengine: acp:chaos\n---\n!say Carried: \n';

const AGENTS = {
  chaos: {
    display_name: 'Chaos',
    command: chaosAgentCommand('--models', 'small,large', '--efforts', 'low,high'),
    visible,
    fallback_model: 'small',
  },
  keeper: { command: chaosAgentCommand('--resume'), visible, state_paths: ['home:.chaos'] },
  loader: {
    command: chaosAgentCommand('--resume-missing', '--load'),
    visible,
    state_paths: ['home:.chaos'],
    usage_covers: 'last_call',
  },
  teller: { command: chaosAgentCommand('--resume-missing', '--load-missing'), visible },
  broken: { command: chaosAgentCommand('--exit-at-start', '3'), visible },
  missing: { command: ['no-such-program-of-anybody'] },
};

let scene: McpScene;
let server: Connection;

/** The settings speak of an agent of another kind, too, as they may. */
const SETTINGS = JSON.stringify({ delegation: { agents: { ...AGENTS, helper: { effort: 'high' } } } });

function makeScene(): Promise<McpScene> {
  const files = { 'a.txt': 'one\n' };
  return McpScene.create(files, { 'settings.yaml': SETTINGS, 'agents/carrier.md': CARRIER });
}

beforeAll(async () => {
  scene = await makeScene();
  server = await scene.connect();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

const call = async (name: string, input: Record<string, unknown> = {}) =>
  (await server.call(name, input)).structuredContent;
const delegate = async (input: Record<string, unknown>) => (await call('delegate', input)).result;

describe('an external agent through MCP', () => {
  it('is among the capabilities, and one that is not installed says so', async () => {
    const { agents } = await call('capabilities');
    const named = (id: string) => agents.find((agent: { id: string }) => agent.id === id);
    expect(named('acp:chaos')).toMatchObject({
      engine: 'acp:chaos',
      problem: null,
      fallback_model: 'small',
      command: expect.stringContaining('chaos'),
      provider: null,
      model_channel: 'session',
      effort_channel: 'session',
    });
    expect(named('acp:cursor')).toMatchObject({ model_channel: 'flag --model', command: 'cursor-agent acp' });
    expect(named('amplifier')).toMatchObject({ command: null, model_channel: 'request' });
    const installed = agents.map((agent: { installed: boolean }) => agent.installed);
    expect(installed).toEqual([...installed].sort((a, b) => Number(b) - Number(a)));
    expect(named('acp:missing')).toMatchObject({
      installed: false,
      problem: expect.stringContaining('not installed'),
    });
    const { agents: found } = await call('doctor', { agent: 'missing' });
    expect(found).toMatchObject([{ agent_id: 'acp:missing', status: 'not_installed' }]);
    expect(named('carrier')).toMatchObject({ engine: 'acp:chaos', problem: null });
    const { agents: reports } = await call('doctor', { agent: 'chaos' });
    // It was asked, and has nothing to say to a prompt without directions.
    expect(reports).toMatchObject([{ agent_id: 'acp:chaos', status: 'no_answer' }]);
    expect(reports[0].detail).toContain('without saying anything');
  });

  it('answers, by its bare name, on the model and with the effort that were asked for', async () => {
    const result = await delegate({ cli: 'chaos:large', prompt: '!about\n!usage 5 7', effort: 'high' });
    expect(result).toMatchObject({
      ok: true,
      target: { cli: 'acp:chaos', model: 'large' },
      engine: 'acp:chaos',
      selected_model: 'large',
      effort_applied: 'high',
      cost: { input_tokens: 5, output_tokens: 7 },
    });
    expect(result.text).toContain('"model":"large"');
    expect(result.text).toContain('"effort":"high"');
    // The agent has no higher level than high.
    const most = await delegate({ cli: 'chaos', prompt: '!about', effort: 'max' });
    expect(most).toMatchObject({ target: { effort: 'max' }, effort_applied: 'high' });
    const none = await delegate({ cli: 'keeper', prompt: '!say Hi.', effort: 'max' });
    expect(none).toMatchObject({ ok: true, effort_applied: null });
  });

  it('runs a Markdown agent that names it as its engine', async () => {
    const result = await delegate({ cli: 'carrier', prompt: '!say it.' });
    expect(result).toMatchObject({ ok: true, engine: 'acp:chaos', target: { cli: 'carrier' } });
    expect(result.text).toMatch(/^Carried:\s*it\.$/);
  });

  it('works as a job in the background, with the same envelope', async () => {
    const handle = await delegate({ cli: 'acp:chaos', prompt: '!say Later.', mode: 'async', persist: true });
    const waited = await call('wait_job', { job_id: handle.job_id });
    expect(waited).toMatchObject({ status: 'succeeded', result: { ok: true, text: 'Later.' } });
    expect(JSON.parse(await readFile(`${handle.run_dir}/state.json`, 'utf8'))).toMatchObject({
      status: 'succeeded',
      result: waited.result,
    });
  });

  it('leaves the disk alone in read_only, and returns a diff in propose', async () => {
    const looked = await delegate({ cli: 'acp:chaos', prompt: '!write new.txt hello' });
    expect(existsSync(scene.folder.resolve('new.txt'))).toBe(false);
    expect(looked.changed_files).toEqual([]);
    const proposed = await delegate({
      cli: 'acp:chaos',
      prompt: '!write a.txt two',
      safety_mode: 'propose',
    });
    expect(proposed).toMatchObject({ ok: true, changed_files: ['a.txt'], changes_applied: false });
    expect(proposed.diff).toContain('+two');
    expect(await scene.folder.read('a.txt')).toBe('one\n');
  });

  it('writes only where the folder is trusted, and names what makes it so', async () => {
    const input = { cli: 'acp:chaos', prompt: '!write b.txt hello', safety_mode: 'write' };
    const error = errorOf(await server.call('delegate', input));
    expect(error).toMatchObject({ code: 'WORKSPACE_NOT_TRUSTED', reexecution_safety: 'none' });
    expect(error.message).toContain('amplifier trust');
    const result = await delegate({ ...input, trust_workspace: true });
    expect(result).toMatchObject({ ok: true, changed_files: ['b.txt'], changes_applied: true });
    expect(await scene.folder.read('b.txt')).toBe('hello\n');
  });

  it('falls back on its own model, then on others, and tells the way', async () => {
    const own = await delegate({ cli: 'acp:chaos', model: 'huge', prompt: '!about' });
    expect(own).toMatchObject({
      ok: true,
      selected_model: 'small',
      requested_model: 'huge',
      fallback_from: 'acp:chaos:huge',
      fallback_chain: ['acp:chaos:huge'],
    });
    const strict = { cli: 'acp:chaos', model: 'huge', allow_model_fallback: false };
    expect(await delegate({ ...strict, prompt: '!about' })).toMatchObject({
      ok: false,
      error: { code: 'MODEL_UNAVAILABLE', reexecution_safety: 'safe' },
    });
    const others = await delegate({
      cli: 'missing',
      prompt: '!say Done.',
      fallback: ['broken', { cli: 'chaos', model: 'large' }],
    });
    expect(others).toMatchObject({
      ok: true,
      text: 'Done.',
      target: { cli: 'acp:chaos', model: 'large' },
      fallback_from: 'acp:missing',
      fallback_chain: ['acp:missing', 'acp:broken'],
    });
    const side = await delegate({ cli: 'acp:chaos', prompt: '!tool edit x\n!exit 3', fallback: ['keeper'] });
    expect(side).toMatchObject({ ok: false, fallback_chain: [] });
    expect(side.error).toMatchObject({ code: 'ACP_TURN_ERROR', reexecution_safety: 'ambiguous' });
  });

  it('continues with a session of an agent that keeps its own, and refuses one of an agent that does not', async () => {
    const first = await delegate({ cli: 'keeper', prompt: '!say One.' });
    const second = await delegate({ cli: 'keeper', prompt: '!history', session_id: first.session_id });
    expect(second, JSON.stringify(second.error)).toMatchObject({ ok: true, session_id: first.session_id });
    expect(second.text).toContain('!say One.');
    const forgotten = await delegate({ cli: 'chaos', prompt: '!say One.', persist: true });
    const lost = { cli: 'chaos', prompt: '!say Two.', session_id: forgotten.session_id };
    const error = errorOf(await server.call('delegate', lost));
    expect(error).toMatchObject({ code: 'RESUME_FAILED', reexecution_safety: 'safe' });
    expect([first.resumable, forgotten.resumable]).toEqual([true, false]);
    const told = await call('continue_job', { job_id: forgotten.run_id, prompt: '!say Two.' });
    expect(told.result).toMatchObject({ ok: true, session_id: forgotten.session_id });
    expect(told.result.notice).toContain('told the conversation again');
  });

  it('that does not know session/resume is asked to load, then told again, and the result says which', async () => {
    for (const [cli, resumed_by, text] of [
      ['keeper', 'session/resume', '!say One.'],
      ['loader', 'session/load', '!say One.'],
      ['teller', 'retelling', ''],
    ]) {
      const first = await delegate({ cli, prompt: '!say One.' });
      expect(first.resumed_by).toBeNull();
      const next = { cli, prompt: '!say It was:\n!history', session_id: first.session_id };
      const second = await delegate(next);
      expect(second, cli).toMatchObject({ ok: true, resumed_by, session_id: first.session_id });
      expect(second.text).toContain(`It was:${text}`);
      const notice = resumed_by === 'retelling' ? expect.stringContaining('Method not found') : null;
      expect(second.notice).toEqual(notice);
    }
  });

  it('keeps its safety mode in later turns unless another is asked for', async () => {
    const write = { cli: 'keeper', safety_mode: 'write', trust_workspace: true, prompt: '!write b.txt new' };
    const first = await delegate(write);
    expect(first).toMatchObject({ ok: true, changes_applied: true, safety_mode: 'write' });
    const next = { cli: 'keeper', session_id: first.session_id, prompt: '!write b.txt newer' };
    const refused = await server.call('delegate', next);
    expect(errorOf(refused)).toMatchObject({ code: 'WORKSPACE_NOT_TRUSTED' });
    const kept = await delegate({ ...next, trust_workspace: true });
    expect(kept).toMatchObject({ safety_mode: 'write', changes_applied: true });
    const proposed = await delegate({ ...next, prompt: '!write b.txt not yet', safety_mode: 'propose' });
    expect(proposed).toMatchObject({ ok: true, safety_mode: 'propose', changes_applied: false });
    expect(proposed.diff).toContain('+not yet');
    const reading = await delegate({ ...next, prompt: '!write b.txt no', safety_mode: 'read_only' });
    expect(reading).toMatchObject({ safety_mode: 'read_only', changed_files: [] });
    expect(await readFile(scene.folder.resolve('b.txt'), 'utf8')).toBe('newer\n');
    const looked = await delegate({ cli: 'keeper', prompt: '!say Looked.' });
    const widened = { ...write, session_id: looked.session_id, prompt: '!write b.txt newest' };
    expect(await delegate(widened)).toMatchObject({ safety_mode: 'write', changes_applied: true });
    expect(await readFile(scene.folder.resolve('b.txt'), 'utf8')).toBe('newest\n');
    const again = await delegate({ cli: 'keeper', session_id: looked.session_id, prompt: '!say Done.' });
    expect(again).toMatchObject({ ok: true, safety_mode: 'read_only' });
  });

  it('counts all model calls of a turn, and of each turn what it added', async () => {
    const calls = '!usage_chunk 5 7\n!tool read a.txt\n!usage_chunk 50 70\n!cost 0.25\n!say Done.';
    const first = await delegate({ cli: 'keeper', prompt: calls });
    expect(first.cost).toMatchObject({ input_tokens: 55, output_tokens: 77, usd: '0.25' });
    const more = '!usage_chunk 1 2\n!cost 0.75\n!say More.';
    const second = await delegate({ cli: 'keeper', prompt: more, session_id: first.session_id });
    expect(second.cost).toMatchObject({ input_tokens: 1, output_tokens: 2, usd: '0.5' });
    const told = await delegate({ cli: 'teller', prompt: '!cost 0.25\n!say One.' });
    const retold = { cli: 'teller', prompt: '!cost 0.75\n!say Two.', session_id: told.session_id };
    // Another session of the agent: all that it cost is of this turn.
    expect((await delegate(retold)).cost).toMatchObject({ usd: '0.75' });
    const failed = await delegate({ cli: 'keeper', prompt: '!usage_chunk 5 7\n!error -32603 It broke.' });
    expect(failed).toMatchObject({ ok: false, cost: { input_tokens: 5, output_tokens: 7 } });
    const last = await delegate({ cli: 'loader', prompt: '!tool read a.txt\n!usage 3 4\n!say Done.' });
    expect(last).toMatchObject({
      cost: { input_tokens: 3 },
      notice: expect.stringContaining('last model call'),
    });
  });

  it('is stopped by cancel_job and by its own time, and nothing of it is left', async () => {
    const handle = await delegate({ cli: 'chaos', prompt: '!say Begun.\n!wait', mode: 'async' });
    expect(await call('cancel_job', { job_id: handle.job_id })).toMatchObject({ status: 'cancelled' });
    const late = await delegate({ cli: 'chaos', prompt: '!say Begun.\n!wait', timeout_s: 0.5 });
    expect(late).toMatchObject({ ok: false, status: 'limit', error: { code: 'LIMIT_REACHED' } });
    const first = await delegate({ cli: 'keeper', prompt: '!say One.', persist: true });
    const next = { job_id: first.run_id, prompt: '!wait', timeout_s: 0.5 };
    expect((await call('continue_job', next)).result).toMatchObject({ status: 'limit' });
  });

  it('asks the person at the client for what its mode leaves to a person', async () => {
    // Without the sandbox's program nothing but a yes lets an agent run commands.
    const PATH = scene.home.resolve('no-programs');
    const asked: string[] = [];
    const answers = ['allow', 'allow', 'allow', 'deny'];
    await using attended = await scene.connect({
      program: true,
      env: { PATH },
      onAsk: (message) => {
        asked.push(message);
        return { action: 'accept', content: { answer: answers.shift() } };
      },
    });
    const input = { cli: 'acp:chaos', prompt: '!ask execute', safety_mode: 'write', trust_workspace: true };
    const yes = (await attended.call('delegate', input)).structuredContent.result;
    expect(yes, JSON.stringify(yes.error)).toMatchObject({ ok: true, text: '[allow]' });
    const no = (await attended.call('delegate', input)).structuredContent.result;
    expect(no.text).toBe('[decline]');
    const each = [expect.stringContaining('without a sandbox'), expect.stringContaining('execute')];
    expect(asked).toEqual([...each, ...each]);
  });

  it('leaves a job whose folder was deleted, and it is made again from the log of its session', async () => {
    const first = await delegate({ cli: 'keeper', prompt: '!say One.', persist: true });
    await rm(first.run_dir, { recursive: true });
    await using other = await scene.connect();
    const again = await other.call('job_result', { job_id: first.run_id });
    expect(again.structuredContent.result).toMatchObject({ ok: true, text: 'One.', run_id: first.run_id });
    expect(existsSync(`${first.run_dir}/state.json`)).toBe(true);
    const second = (await other.call('continue_job', { job_id: first.run_id, prompt: '!say Two.' }))
      .structuredContent.result;
    await rm(second.run_dir, { recursive: true });
    const found = await call('job_result', { job_id: second.run_id });
    expect(found.result).toMatchObject({ ok: true, text: 'Two.' });
    expect(await call('job_status', { job_id: second.run_id })).toMatchObject({
      tool: 'continue_job',
      continued_from: first.run_id,
    });
  });
});

it('a server that is killed in the middle of a job leaves it interrupted, no process, and continue_job finishes it', async () => {
  await using own = await makeScene();
  const killed = await own.connect({ program: true });
  const begun = (
    await killed.call('delegate', {
      // It forgets its session, so that it is told the conversation again and comes to where it was.
      cli: 'chaos',
      prompt: '!tool read a.txt\n!hang_unless go\n!say Finished.',
      mode: 'async',
      persist: true,
    })
  ).structuredContent.result;
  await new Promise<void>((atWork) => {
    const onprogress = ({ message = '' }) => (message.includes('uses read') ? atWork() : undefined);
    killed.call('wait_job', { job_id: begun.job_id }, { onprogress }).catch(() => {});
  });
  expect(processesIn(own.folder.path)).not.toEqual([]);
  process.kill(killed.pid, 'SIGKILL');
  await killed[Symbol.asyncDispose]();
  await using next = await own.connect();
  const status = await next.call('job_status', { job_id: begun.job_id });
  expect(status.structuredContent).toMatchObject({ status: 'interrupted' });
  // The kernel ends the sandbox a moment after the process that started it.
  await expect.poll(() => processesIn(own.folder.path), { timeout: 10_000 }).toEqual([]);
  await own.folder.write('go', '');
  const finished = await next.call('continue_job', { job_id: begun.job_id });
  expect(finished.structuredContent.result, finished.content[0]?.text).toMatchObject({
    ok: true,
    text: 'Finished.',
    run_id: begun.job_id,
  });
  expect((await next.call('job_status', { job_id: begun.job_id })).structuredContent.status).toBe(
    'succeeded',
  );
});

/** Programs of agents that work in a folder. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return readlinkSync(`/proc/${pid}/cwd`) === folder && command.includes('chaos') ? [command] : [];
      } catch {
        return [];
      }
    });
}

it('counts a failure of an external agent whichever agent led to it, and once', async () => {
  const wrecked = CARRIER.replace('name: carrier', 'name: wrecked').replace('acp:chaos', 'acp:broken');
  await using own = await McpScene.create({}, { 'settings.yaml': SETTINGS, 'agents/wrecked.md': wrecked });
  await using connection = await own.connect();
  const ask = async (input: object) =>
    (await connection.call('delegate', { prompt: '!say Here.', ...input })).structuredContent.result;
  const otherwise = { cli: 'acp:missing', fallback: ['acp:broken', 'acp:chaos'] };
  const tried = { text: 'Here.', fallback_chain: ['acp:missing', 'acp:broken'] };
  expect(await ask(otherwise)).toMatchObject(tried);
  expect(await ask({ cli: 'wrecked' })).toMatchObject({ ok: false });
  expect(await ask(otherwise)).toMatchObject(tried);
  expect(await ask(otherwise)).toMatchObject({ fallback_chain: ['acp:missing', 'acp:broken (benched)'] });
});
