import { spawn } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { PICTURE } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, ERAS, errorOf, McpScene, PROGRAM } from '../test-support/mcp-scene.js';

const AGENT = '---\nname: helper\ndescription: Helps.\n---\nYou help.\n';
const SKILL = '---\nname: house-style\ndescription: How we write.\n---\nShort sentences, canary-skill.\n';
const FILES = {
  '.amplifier/agents/helper.md': AGENT,
  '.claude/skills/house-style/SKILL.md': SKILL,
  'notes.md': 'hello',
};

const SEED_INPUTS = [
  'cli',
  'mode',
  'role',
  'files',
  'model',
  'effort',
  'prompt',
  'persist',
  'fallback',
  'timeout_s',
  'session_id',
  'safety_mode',
  'working_dir',
  'trust_workspace',
  'external_tracking',
  'allow_model_fallback',
];

const OWN_INPUTS = [
  'attachments',
  'direct_workspace_mutation',
  'skills',
  'max_result',
  'hand_back',
  'network',
];

describe.each(ERAS)('the real program over stdio, %s protocol', (era) => {
  let scene: McpScene;
  let server: Connection;
  let onAsk: (message: string) => unknown = () => ({ action: 'decline' });
  beforeAll(async () => {
    scene = await McpScene.create(FILES);
    await scene.folder.write('dot.png', Buffer.from(PICTURE, 'base64'));
    server = await scene.connect({ era, program: true, onAsk: (message) => onAsk(message) });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await scene[Symbol.asyncDispose]();
  });

  it('lists its tools with typed inputs, outputs and annotations', async () => {
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [
        'activity',
        'analyze',
        'cancel_job',
        'capabilities',
        'clean_proposals',
        'continue_job',
        'delegate',
        'discover',
        'doctor',
        'job_result',
        'job_status',
        'list_jobs',
        'list_proposals',
        'list_roles',
        'list_sessions',
        'plan',
        'resolve_proposal',
        'review',
        'setup',
        'show_session',
        'wait_job',
      ].sort(),
    );
    for (const { description, annotations, inputSchema, outputSchema } of tools) {
      expect(description).toBeTruthy();
      expect(annotations).toMatchObject({ title: expect.any(String), readOnlyHint: expect.any(Boolean) });
      expect(outputSchema?.type).toBe('object');
      for (const input of Object.values(inputSchema.properties ?? {}))
        expect(JSON.stringify(input)).toContain('"description"');
    }
    const delegate = tools.find(({ name }) => name === 'delegate');
    expect(Object.keys(delegate?.inputSchema.properties ?? {}).sort()).toEqual(
      [...SEED_INPUTS, ...OWN_INPUTS].sort(),
    );
    expect(delegate?.inputSchema.required?.slice().sort()).toEqual(['cli', 'prompt']);
    expect(delegate?.outputSchema?.required).toEqual(['result']);
    const defaults = Object.entries(delegate?.inputSchema.properties ?? {}).flatMap(([name, property]) =>
      typeof property === 'object' && property !== null && 'default' in property
        ? [[name, property.default]]
        : [],
    );
    expect(Object.fromEntries(defaults)).toEqual({
      mode: 'sync',
      trust_workspace: false,
      direct_workspace_mutation: false,
      external_tracking: false,
      allow_model_fallback: true,
    });
    expect(JSON.stringify(delegate?.inputSchema)).toContain('"read_only","propose","write","yolo"');
  });

  it('delegates with a role and files, and continues with the same session', async () => {
    const before = scene.model.exchanges.length;
    const input = { cli: 'helper', prompt: '!say It is done.', role: 'explainer', files: ['notes.md'] };
    const first = await server.call('delegate', input);
    const { result } = first.structuredContent;
    expect(result).toMatchObject({
      ok: true,
      status: 'success',
      text: 'It is done.',
      safety_mode: 'read_only',
      target: { cli: 'helper', role: 'explainer' },
      selected_model: expect.stringContaining('claude'),
      cost: { total_tokens: 15 },
      run_dir: null,
    });
    expect(first.content[0]?.text).toContain('It is done.');
    const asked = JSON.stringify((await scene.model.received(before + 1)).body);
    expect(asked).toContain('You explain.');
    expect(asked).toContain('- notes.md');
    const again = await server.call('delegate', {
      cli: 'helper',
      prompt: '!say And more.',
      session_id: result.session_id,
      attachments: ['dot.png'],
    });
    expect(again.structuredContent.result).toMatchObject({
      ok: true,
      text: 'And more.',
      session_id: result.session_id,
    });
    const next = JSON.stringify((await scene.model.received(before + 2)).body);
    expect(next).toContain('It is done.');
    expect(asked).not.toContain(PICTURE);
    expect(next).toContain(PICTURE);
    const none = await server.call('delegate', { cli: 'helper', prompt: 'x', attachments: ['none.png'] });
    expect(none.structuredContent.result).toMatchObject({
      ok: false,
      error: { code: 'ATTACHMENT_UNUSABLE' },
    });
  });

  it('hands skills over by name, asks for a summary, and hands back no more than was wanted', async () => {
    const before = scene.model.exchanges.length;
    const input = { cli: 'helper', prompt: `!say ${'long '.repeat(80)}END`, max_result: 200 };
    const first = await server.call('delegate', { ...input, skills: ['house-style'], hand_back: 'summary' });
    const { result } = first.structuredContent;
    expect(result.ok).toBe(true);
    expect(result.text.startsWith('long long')).toBe(true);
    expect(result.text).toContain(`more characters are in the transcript of session ${result.session_id}`);
    expect(result.text).not.toContain('END');
    const asked = JSON.stringify((await scene.model.received(before + 1)).body);
    expect(asked).toContain('canary-skill');
    expect(asked).toContain('in at most 200 characters');
    const { structuredContent: job } = await server.call('job_result', { job_id: result.run_id });
    expect(job.result.text).toBe(result.text);
    const session_id = result.session_id;
    const whole = await server.call('delegate', { cli: 'helper', prompt: '!say Whole.', session_id });
    expect(whole.structuredContent.result.text).toBe('Whole.');
    const late = await server.call('delegate', { ...input, session_id, skills: ['house-style'] });
    expect(errorOf(late)).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('skills'),
    });
    const none = await server.call('delegate', { cli: 'helper', prompt: 'x', skills: ['nowhere'] });
    expect(none.structuredContent.result.error.message).toContain("There is no skill 'nowhere'");
  });

  it('stops the agent when the client gives the call up', async () => {
    const before = scene.model.exchanges.length;
    const stop = new AbortController();
    const call = server.call('delegate', { cli: 'helper', prompt: '!hang' }, { signal: stop.signal });
    const exchange = await scene.model.received(before + 1);
    expect((await server.call('activity')).structuredContent).toMatchObject({
      count: 1,
      active: [{ cli: 'helper', status: 'running' }],
    });
    stop.abort();
    await expect(call).rejects.toThrow();
    expect(await exchange.ended).toBe('closed');
  });

  it('asks the user for approval and does as they say', async () => {
    const asked: string[] = [];
    const answers = ['Allow once', 'Deny'];
    onAsk = (message) => {
      asked.push(message);
      return { action: 'accept', content: { answer: answers[asked.length - 1] } };
    };
    const write = (name: string) => `!call write_file {"file_path": "${name}", "content": "new"}`;
    const answer = await server.call('delegate', {
      cli: 'helper',
      prompt: `${write('yes.txt')}\n!then\n${write('no.txt')}\n!then\n!say Done.`,
      safety_mode: 'write',
      trust_workspace: true,
    });
    expect(answer.structuredContent.result).toMatchObject({ ok: true, text: 'Done.' });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatch(
      /wants to use write_file: yes\.txt\n {2}yes\.txt \(new\) {2}\+1 -0\n {2}1 \+ new$/,
    );
    expect(await readFile(scene.folder.resolve('yes.txt'), 'utf8')).toBe('new');
    await expect(access(scene.folder.resolve('no.txt'))).rejects.toThrow();
  });

  it("obeys the user's permission rules before it asks", async () => {
    const asked: string[] = [];
    onAsk = (message) => {
      asked.push(message);
      return { action: 'decline' };
    };
    await scene.home.write(
      'settings.yaml',
      'permissions: { allow: ["write: free/**"], deny: ["write: shut/**"] }\n',
    );
    const write = (name: string) => `!call write_file {"file_path": "${name}", "content": "new"}`;
    const prompt = [write('free/a'), write('shut/a'), write('other'), '!say Done.'].join('\n!then\n');
    const given = { cli: 'helper', prompt, safety_mode: 'write', trust_workspace: true };
    expect((await server.call('delegate', given)).structuredContent.result).toMatchObject({ text: 'Done.' });
    expect(asked).toEqual([expect.stringContaining('other')]);
    expect(await readFile(scene.folder.resolve('free/a'), 'utf8')).toBe('new');
    await expect(access(scene.folder.resolve('shut/a'))).rejects.toThrow();
    await scene.home.write('settings.yaml', '');
  });

  it('asks before an agent that may only read leaves the machine, and not before it looks', async () => {
    const asked: string[] = [];
    onAsk = (message) => {
      asked.push(message);
      return { action: 'decline' };
    };
    const prompt = [
      '!call read_file {"file_path": "notes.md"}',
      '!then',
      '!call web_fetch {"url": "http://127.0.0.1:9/"}',
      '!then',
      '!say Over.',
    ].join('\n');
    const { result } = (await server.call('delegate', { cli: 'helper', prompt })).structuredContent;
    expect(result).toMatchObject({ ok: true, text: 'Over.' });
    expect(asked).toEqual([expect.stringContaining('web_fetch')]);
  });

  it('tells progress', async () => {
    const told: { progress: number; message?: string | undefined }[] = [];
    const prompt = '!call read_file {"file_path": "notes.md"}\n!then\n!say Read.';
    await server.call(
      'delegate',
      { cli: 'helper', prompt },
      { onprogress: (each: (typeof told)[number]) => told.push(each) },
    );
    expect(told.length).toBeGreaterThan(0);
    expect(told.map(({ progress }) => progress)).toEqual(told.map((_, index) => index + 1));
  });
});

describe('a call that cannot be carried out', () => {
  it('is refused with a stable code and what to do next, and nothing runs', async () => {
    await using scene = await McpScene.create({
      ...FILES,
      // A project cannot declare itself trusted.
      '.amplifier/settings.yaml':
        'delegation: { trusted_workspaces: ["/"], agents: { helper: { effort: high } } }\n',
    });
    await using server = await scene.connect();
    const refused = async (input: Record<string, unknown>) => {
      const answer = await server.call('delegate', { cli: 'helper', prompt: 'x', ...input });
      expect(answer.content[0]?.text).toContain(errorOf(answer).code);
      return errorOf(answer);
    };
    expect(await refused({ cli: 'helpr' })).toMatchObject({
      code: 'UNKNOWN_TARGET',
      message: expect.stringContaining("'helper'"),
      reexecution_safety: 'none',
    });
    expect(await refused({ fallback: ['nobody'] })).toMatchObject({ code: 'UNKNOWN_TARGET' });
    expect(await refused({ role: 'revewer' })).toMatchObject({ code: 'UNKNOWN_ROLE' });
    expect(await refused({ safety_mode: 'write' })).toMatchObject({ code: 'WORKSPACE_NOT_TRUSTED' });
    expect(await refused({ safety_mode: 'yolo' })).toMatchObject({ code: 'WORKSPACE_NOT_TRUSTED' });
    expect(await refused({ session_id: 'session_nothing' })).toMatchObject({ code: 'RESUME_FAILED' });
    expect(await refused({ working_dir: 'not/there' })).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await refused({ safety_mode: 'sudo' })).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('safety_mode'),
    });
    expect(await refused({ mode: 'later', effort: 5 })).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/mode: .*effort: /),
    });
    const unknown = await server.call('job_status', { job_id: '../../etc' });
    expect(errorOf(unknown)).toMatchObject({ code: 'JOB_NOT_FOUND' });
    const typo = await server.call('delegate', { cli: 'helper', prompt: 'x', saftey_mode: 'yolo' });
    expect(errorOf(typo)).toMatchObject({ code: 'INVALID_INPUT' });
    expect(typo.content[0]?.text).toContain('saftey_mode');
    expect(scene.model.exchanges).toHaveLength(0);
  });

  it('is refused when agents have called agents too often', async () => {
    await using scene = await McpScene.create(FILES);
    await using server = await scene.connect({ env: { AMPLIFIER_DEPTH: '3' } });
    const answer = await server.call('delegate', { cli: 'helper', prompt: 'x' });
    expect(errorOf(answer)).toMatchObject({ code: 'MAX_DEPTH_EXCEEDED' });
  });
});

it('serves when nothing is left on the list of trusted folders', async () => {
  const settings = 'delegation:\n  trusted_workspaces:\n';
  await using scene = await McpScene.create(FILES, { 'settings.yaml': settings });
  await using server = await scene.connect();
  const read = await server.call('delegate', { cli: 'amplifier:explorer', prompt: '!say Seen.' });
  expect(read.structuredContent).toMatchObject({ result: { ok: true, text: 'Seen.' } });
  const write = { cli: 'amplifier:explorer', prompt: '!say Seen.', safety_mode: 'write' };
  expect(errorOf(await server.call('delegate', write))).toMatchObject({ code: 'WORKSPACE_NOT_TRUSTED' });
});

it('says what it can do and how it fares', async () => {
  await using scene = await McpScene.create(
    {
      ...FILES,
      '.amplifier/roles/pirate.md': '---\nname: Pirate\ndescription: Arr.\n---\nTalk like a pirate.\n',
    },
    {
      'settings.yaml': 'delegation: { agents: { writer: { enabled: false } } }\n',
      'roles/explainer.md': '---\nname: Ours\n---\nExplain.\n',
    },
  );
  await using server = await scene.connect();
  const { agents, providers } = (await server.call('capabilities')).structuredContent;
  const ids = agents.map(({ id }: { id: string }) => id);
  expect(ids).toContain('helper');
  expect(ids).toContain('amplifier');
  expect(ids).not.toContain('writer');
  expect(providers).toContainEqual(expect.objectContaining({ name: 'anthropic', problem: null }));
  const { roles } = (await server.call('list_roles')).structuredContent;
  expect(roles).toHaveLength(6);
  expect(roles).toContainEqual(expect.objectContaining({ id: 'explainer', name: 'Ours' }));
  expect(roles).toContainEqual(
    expect.objectContaining({ id: 'pirate', source: scene.folder.resolve('.amplifier/roles/pirate.md') }),
  );
  const whole = (await server.call('doctor')).structuredContent;
  expect(whole.checks).toContainEqual(expect.objectContaining({ name: 'jobs', status: 'ok' }));
  expect(whole.checks).toContainEqual(expect.objectContaining({ name: 'store', status: 'ok', fix: null }));
  expect(scene.model.exchanges).toHaveLength(0);
  const one = (await server.call('doctor', { agent: 'helper' })).structuredContent;
  expect(one.agents).toEqual([expect.objectContaining({ agent_id: 'helper', status: 'ok', answered: true })]);
});

it('outlives a broken pipe to one of its agents', async () => {
  await using scene = await McpScene.create();
  await using server = await scene.connect({ program: true });
  await server.call('list_roles');
  // What the system sends when something is written to a process that has died.
  process.kill(server.pid, 'SIGPIPE');
  expect((await server.call('list_roles')).structuredContent.roles.length).toBeGreaterThan(0);
});

it('writes nothing but the protocol to standard output, whatever modules print', async () => {
  const noisy =
    "console.log('LOUD at import'); export default { mount() { console.log('LOUD at mount'); process.stdout.write('LOUD\\n'); } };\n";
  await using scene = await McpScene.create({
    ...FILES,
    'noisy/index.js': noisy,
    'noisy/package.json': '{"name":"noisy","type":"module","main":"index.js"}',
    '.amplifier/settings.yaml': 'modules: { hooks: [{ module: hooks-noisy, source: ./noisy }] }\n',
  });
  await scene.trust();
  const child = spawn(process.execPath, [PROGRAM, '--cwd', scene.folder.path, 'mcp', '--offline'], {
    env: scene.env,
  });
  let out = '';
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const answered = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      out += chunk;
      if (out.includes('"id":2')) resolve();
    });
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'raw', version: '1' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  send({ method: 'notifications/initialized' });
  send({
    id: 2,
    method: 'tools/call',
    params: { name: 'delegate', arguments: { cli: 'helper', prompt: 'read notes.md' } },
  });
  // An id that is in use is not taken again, and the refusal does not pass for the answer of the first.
  send({ id: 2, method: 'tools/list' });
  await answered;
  const code = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.end();
  expect(await code).toBe(0);
  expect(said).toContain('LOUD at mount');
  for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  expect(out).toContain('no language model');
  expect(out).toContain('"error":{"code":-32600,"message":"A request with the id 2 is still under way.');
});
