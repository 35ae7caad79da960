import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  type ClientContext,
  type CreateTerminalRequest,
  client,
  type McpServer,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { chaosAgentCommand, FakeModelServer, PICTURE } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliSandbox, MAIN } from '../../../test-support/run-cli.js';

const REPOSITORY = resolve(fileURLToPath(import.meta.url), '../../../../../..');

const AGENT = '---\nname: helper\ndescription: Helps.\n---\nYou help.\n';

/** The real program, driven by the protocol's own client the way an editor does it. */
interface Editor extends AsyncDisposable {
  agent: ClientContext;
  child: ChildProcess;
  updates: SessionUpdate[];
  asked: RequestPermissionRequest[];
  terminals: Map<string, Terminal>;
  answer: string;
  /** Called for each update. */
  onUpdate: (update: SessionUpdate) => void;
  lines(): string[];
  open(): Promise<string>;
  prompt(sessionId: string, text: string): Promise<{ stopReason: string }>;
}

let box: CliSandbox;
let model: FakeModelServer;
let editor: Editor;

interface Terminal {
  output: string;
  killed: boolean;
  released: boolean;
  child: ChildProcess;
  ended: Promise<number | null>;
}

function startTerminal({ command, args, cwd }: CreateTerminalRequest): Terminal {
  const env = { ...process.env, EDITOR_SECRET: 'not for agents' };
  const child = spawn(command, args ?? [], { cwd: cwd ?? undefined, env });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const terminal: Terminal = { output: '', killed: false, released: false, child, ended };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      terminal.output += chunk.toString();
    });
  return terminal;
}

/** `buffers`: what the editor holds unsaved; without it the editor lends no files. */
async function startEditor(buffers?: Map<string, string>, terminal = false): Promise<Editor> {
  const child = spawn(process.execPath, [MAIN, 'acp'], {
    cwd: box.folder.path,
    env: { ...box.env, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: `${model.url}/v1` },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const { agent } = client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params }) => {
      opened.asked.push(params);
      const option = params.options.find(({ kind }) => kind === opened.answer);
      return { outcome: { outcome: 'selected' as const, optionId: option?.optionId ?? '' } };
    })
    .onRequest('fs/read_text_file', ({ params: { path } }) => {
      const content = buffers?.get(path);
      if (content === undefined) throw new Error(`${path} is not open.`);
      return { content };
    })
    .onRequest('fs/write_text_file', ({ params: { path, content } }) => {
      buffers?.set(path, content);
      return {};
    })
    .onRequest('terminal/create', ({ params }) => {
      const terminalId = `terminal-${opened.terminals.size + 1}`;
      opened.terminals.set(terminalId, startTerminal(params));
      return { terminalId };
    })
    .onRequest('terminal/wait_for_exit', async ({ params: { terminalId } }) => ({
      exitCode: (await opened.terminals.get(terminalId)?.ended) ?? null,
    }))
    .onRequest('terminal/output', ({ params: { terminalId } }) => ({
      output: opened.terminals.get(terminalId)?.output ?? '',
      truncated: false,
    }))
    .onRequest('terminal/kill', ({ params: { terminalId } }) => {
      const run = opened.terminals.get(terminalId);
      if (run) run.killed = run.child.kill();
      return {};
    })
    .onRequest('terminal/release', ({ params: { terminalId } }) => {
      const run = opened.terminals.get(terminalId);
      if (run) run.released = true;
      return {};
    })
    .onNotification('session/update', ({ params: { update } }) => {
      opened.updates.push(update);
      opened.onUpdate(update);
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
  const opened: Editor = {
    agent,
    child,
    updates: [],
    asked: [],
    terminals: new Map(),
    answer: 'allow_once',
    onUpdate: () => {},
    lines: () => output.split('\n').filter((line) => line !== ''),
    open: async () =>
      (await agent.request('session/new', { cwd: box.folder.path, mcpServers: [] })).sessionId,
    prompt: (sessionId, text) =>
      handled(agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
  const fs = { readTextFile: buffers !== undefined, writeTextFile: buffers !== undefined };
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: { fs, terminal } });
  return opened;
}

/** The client may hand on the last updates just after the answer they came before. */
async function handled<T>(answer: Promise<T>): Promise<T> {
  const given = await answer;
  await new Promise((resolve) => setImmediate(resolve));
  return given;
}

const said = (updates: SessionUpdate[]) =>
  updates
    .flatMap((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
        ? [update.content.text]
        : [],
    )
    .join('');

beforeAll(async () => {
  model = await FakeModelServer.start();
  box = await CliSandbox.create({ '.amplifier/agents/helper.md': AGENT, 'notes.md': 'hello\n' });
  const chaos = { command: chaosAgentCommand(), visible: [REPOSITORY] };
  await box.home.write('settings.yaml', JSON.stringify({ delegation: { agents: { chaos } } }));
  editor = await startEditor();
});

afterAll(async () => {
  await editor[Symbol.asyncDispose]();
  await box[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

describe('amplifier acp, driven by an editor', () => {
  it('offers modes and models, and both can be chosen before the first prompt', async () => {
    const opened = await editor.agent.request('session/new', { cwd: box.folder.path, mcpServers: [] });
    const { sessionId, modes, configOptions } = opened;
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(['read_only', 'propose', 'write', 'yolo']);
    const models = configOptions?.find(({ id }) => id === 'model');
    const values = (models && 'options' in models ? models.options : []).map((option) =>
      'value' in option ? option.value : '',
    );
    expect(values.length).toBeGreaterThan(1);
    const wanted = values.at(-1) ?? '';
    expect(wanted).toMatch(/^anthropic\//);
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'read_only' });
    await editor.agent.request('session/set_config_option', {
      sessionId,
      configId: 'model',
      value: wanted,
    });
    const before = model.exchanges.length;
    await editor.prompt(
      sessionId,
      '!call write_file {"file_path": "no.txt", "content": "x"}\n!then\n!say Done.',
    );
    const asked = await model.received(before + 1);
    expect(`anthropic/${(asked.body as { model: string }).model}`).toBe(wanted);
    expect(existsSync(box.folder.resolve('no.txt'))).toBe(false);
  });

  it('shows the model the images of a prompt, of the first one and of later ones', async () => {
    const { sessionId } = await editor.agent.request('session/new', { cwd: box.folder.path, mcpServers: [] });
    for (const word of ['One.', 'Two.']) {
      const before = model.exchanges.length;
      const image = { type: 'image' as const, mimeType: 'image/png', data: PICTURE };
      const prompt = [{ type: 'text' as const, text: `!say ${word}` }, image];
      await editor.agent.request('session/prompt', { sessionId, prompt });
      const asked = JSON.stringify((await model.received(before + 1)).body);
      expect(asked.split(PICTURE)).toHaveLength(word === 'One.' ? 2 : 3);
    }
  });

  it('shows a sub-agent as a tool call with its progress, and the plan', async () => {
    const sessionId = await editor.open();
    editor.updates.length = 0;
    const todos = [{ content: 'Ask the helper', status: 'in_progress' }];
    const task = '!call read_file {"file_path": "notes.md"}\n!then\n!say It says hello.';
    const script = [
      `!call todo ${JSON.stringify({ action: 'create', todos })}`,
      '!then',
      `!call delegate ${JSON.stringify({ agent: 'helper', instruction: task, context_depth: 'none' })}`,
      '!then',
      '!say The helper says hello.',
    ];
    expect(await editor.prompt(sessionId, script.join('\n'))).toMatchObject({ stopReason: 'end_turn' });
    expect(editor.updates.find(({ sessionUpdate }) => sessionUpdate === 'plan')).toMatchObject({
      entries: [{ content: 'Ask the helper', status: 'in_progress' }],
    });
    const call = editor.updates.find(
      (update) => update.sessionUpdate === 'tool_call' && update.title.startsWith('delegate helper'),
    );
    expect(call).toMatchObject({ status: 'in_progress' });
    const progress = editor.updates.filter(
      (update) =>
        update.sessionUpdate === 'tool_call_update' &&
        update.toolCallId === (call as { toolCallId: string }).toolCallId,
    );
    expect(JSON.stringify(progress)).toContain('helper has begun');
    expect(JSON.stringify(progress)).toContain('helper: read_file notes.md');
    expect(progress.at(-1)).toMatchObject({ status: 'completed' });
    expect(said(editor.updates)).toContain('The helper says hello.');
  });

  it.each([
    ['allow_once', true],
    ['reject_once', false],
  ])('asks for permission before it changes a file, and %s is heard', async (answer, written) => {
    const sessionId = await editor.open();
    editor.answer = answer;
    editor.asked.length = 0;
    const file = `${answer}.txt`;
    await editor.prompt(
      sessionId,
      `!call write_file ${JSON.stringify({ file_path: file, content: 'x' })}\n!then\n!say Over.`,
    );
    expect(editor.asked).toMatchObject([{ sessionId, toolCall: { title: expect.stringContaining(file) } }]);
    expect(existsSync(box.folder.resolve(file))).toBe(written);
  });

  it("obeys the user's permission rules: one that allows asks nobody, one that denies asks nobody either", async () => {
    const before = await box.home.read('settings.yaml').catch(() => '');
    await box.home.write(
      'settings.yaml',
      'permissions: { allow: ["write: free/**"], deny: ["write: shut/**"] }\n',
    );
    const sessionId = await editor.open();
    editor.asked.length = 0;
    const write = (file: string) => `!call write_file ${JSON.stringify({ file_path: file, content: 'x' })}`;
    await editor.prompt(sessionId, `${write('free/a')}\n!then\n${write('shut/a')}\n!then\n!say Over.`);
    expect(editor.asked).toEqual([]);
    expect(existsSync(box.folder.resolve('free/a'))).toBe(true);
    expect(existsSync(box.folder.resolve('shut/a'))).toBe(false);
    await box.home.write('settings.yaml', before);
  });

  it('gives a session the tools of the MCP servers the editor names', async () => {
    const env = [{ name: 'AMPLIFIER_HOME', value: '/tmp/desk-of-the-editor' }];
    const server: McpServer = {
      name: 'desk',
      command: process.execPath,
      args: [MAIN, 'mcp', '--offline'],
      env,
    };
    const { sessionId } = await editor.agent.request('session/new', {
      cwd: box.folder.path,
      mcpServers: [server],
    });
    editor.answer = 'allow_once';
    editor.updates.length = 0;
    const ask = async (turn: string) => {
      await editor.prompt(sessionId, `!call mcp_desk_doctor {}\n!then\n!say The ${turn}.`);
      return editor.updates.findLast(({ sessionUpdate }) => sessionUpdate === 'tool_call_update');
    };
    // A turn waits only so long for a server to be up.
    await expect.poll(() => ask('first')).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(await ask('second'))).toContain('desk-of-the-editor');
    const { stdout } = await box.run(['session', 'export', sessionId]);
    expect(stdout).not.toContain('"env":{"AMPLIFIER_HOME":"/');
  });

  it('shows the whole input of a call in the permission request', async () => {
    const fixture = fileURLToPath(new URL('../../../../modules/fixtures/mcp-server.mjs', import.meta.url));
    const server: McpServer = { name: 'sums', command: process.execPath, args: [fixture], env: [] };
    const { sessionId } = await editor.agent.request('session/new', {
      cwd: box.folder.path,
      mcpServers: [server],
    });
    editor.answer = 'reject_once';
    const asked = async () => {
      editor.asked.length = 0;
      await editor.prompt(sessionId, '!call mcp_sums_add {"a":1,"b":2}\n!then\n!say Over.');
      return editor.asked[0]?.toolCall;
    };
    // A turn waits only so long for a server to be up.
    await expect.poll(asked).toMatchObject({
      kind: 'other',
      rawInput: { a: 1, b: 2 },
      content: [{ type: 'content', content: { type: 'text', text: '  a: 1\n  b: 2' } }],
    });
    editor.answer = 'allow_once';
  });

  it('reports an MCP server that cannot be started', async () => {
    const dead: McpServer = { name: 'dead', command: '/no/such/server', args: [], env: [] };
    const { sessionId } = await editor.agent.request('session/new', {
      cwd: box.folder.path,
      mcpServers: [dead],
    });
    editor.updates.length = 0;
    await editor.prompt(sessionId, '!say Hello.');
    expect(said(editor.updates)).toMatch(/Hello\.[\s\S]*MCP server 'dead' is left out/);
  });

  it('hands the patch of a proposal to the editor, file by file', async () => {
    const sessionId = await editor.open();
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'propose' });
    editor.updates.length = 0;
    await editor.prompt(
      sessionId,
      '!call write_file {"file_path": "notes.md", "content": "changed\\n"}\n!then\n!say Proposed.',
    );
    const path = box.folder.resolve('notes.md');
    expect(editor.updates.findLast(({ sessionUpdate }) => sessionUpdate === 'tool_call')).toMatchObject({
      title: 'Proposed changes to 1 file',
      kind: 'edit',
      locations: [{ path }],
      content: [
        { type: 'diff', path, oldText: 'hello\n', newText: 'changed\n' },
        { type: 'content', content: { text: expect.stringContaining('git -C') } },
      ],
    });
    expect(readFileSync(path, 'utf8')).toBe('hello\n');
  });

  it('asks with the call it has announced, absolute places and the diff, and never in read_only', async () => {
    const call = '!call edit_file {"file_path": "notes.md", "old_string": "hello", "new_string": "bye"}';
    const sessionId = await editor.open();
    editor.updates.length = 0;
    editor.asked.length = 0;
    editor.answer = 'reject_once';
    await editor.prompt(sessionId, `${call}\n!then\n!say Done.`);
    editor.answer = 'allow_once';
    const announced = editor.updates.find((update) => update.sessionUpdate === 'tool_call');
    const path = box.folder.resolve('notes.md');
    expect(editor.asked).toMatchObject([
      {
        toolCall: {
          toolCallId: announced?.toolCallId,
          kind: 'edit',
          locations: [{ path }],
          content: [{ type: 'diff', path, oldText: 'hello\n', newText: 'bye\n' }],
        },
      },
    ]);
    expect(announced).toMatchObject({ locations: [{ path }] });
    expect(editor.updates.find(({ sessionUpdate }) => sessionUpdate === 'usage_update')).toMatchObject({
      used: expect.any(Number),
      size: expect.any(Number),
    });
    const reading = await editor.open();
    await editor.agent.request('session/set_mode', { sessionId: reading, modeId: 'read_only' });
    editor.asked.length = 0;
    await editor.prompt(reading, `${call}\n!then\n!say Done.`);
    expect(editor.asked).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('hello\n');
  });

  it('reads and writes through the editor where it lends its files, unsaved changes included', async () => {
    const path = box.folder.resolve('notes.md');
    const buffers = new Map([[path, 'hello, unsaved\n']]);
    await using lending = await startEditor(buffers);
    const sessionId = await lending.open();
    const script = [
      '!call read_file {"file_path": "notes.md"}',
      '!then',
      '!call edit_file {"file_path": "notes.md", "old_string": "unsaved", "new_string": "edited"}',
      '!then',
      '!say Done.',
    ];
    await lending.prompt(sessionId, script.join('\n'));
    expect(JSON.stringify(lending.updates)).toContain('hello, unsaved');
    expect(buffers.get(path)).toBe('hello, edited\n');
    expect(readFileSync(path, 'utf8')).toBe('hello\n');
  });

  it('runs commands in a terminal of the editor where it has any, in the sandbox all the same', async () => {
    await using showing = await startEditor(undefined, true);
    const sessionId = await showing.open();
    const outside = box.home.resolve('outside.txt');
    const command = `echo seen; echo made >made-here.txt; touch ${outside}; echo $EDITOR_SECRET; exit 3`;
    await showing.prompt(sessionId, `!call bash ${JSON.stringify({ command })}\n!then\n!say Done.`);
    const [terminal] = showing.terminals.values();
    expect(terminal?.output).toContain('seen');
    expect(terminal?.output).not.toContain('not for agents');
    expect(readFileSync(box.folder.resolve('made-here.txt'), 'utf8')).toBe('made\n');
    expect(existsSync(outside)).toBe(false);
    const shown = showing.updates.filter((update) => update.sessionUpdate === 'tool_call_update');
    const content = [{ type: 'terminal', terminalId: 'terminal-1' }];
    expect(shown).toMatchObject([{ content }, { status: 'failed', content }]);
    expect(JSON.stringify(model.exchanges.at(-1)?.body)).toMatch(/exit_code\W+3/);
    expect(terminal?.released).toBe(true);
  });

  it('ends what runs in a terminal of the editor when the turn is cancelled', async () => {
    await using showing = await startEditor(undefined, true);
    const sessionId = await showing.open();
    const begun = new Promise<void>((resolve) => {
      showing.onUpdate = (update) => {
        if (JSON.stringify(update).includes('terminal-1')) resolve();
      };
    });
    const turn = showing.prompt(sessionId, `!call bash ${JSON.stringify({ command: 'sleep 600' })}`);
    await begun;
    await showing.agent.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    const [terminal] = showing.terminals.values();
    expect(terminal?.killed).toBe(true);
    await terminal?.ended;
  });

  it('notices instructions, agents and rules that change between two prompts of a session', async () => {
    const id = await editor.open();
    const read = '!call read_file {"file_path":"notes.md"}\n!then\n!say Read.';
    const hand =
      '!call delegate {"agent":"newcomer","instruction":"!say Yes.","context_depth":"none"}\n!then\n!say Done.';
    /** The system prompt and the last message of each model call. */
    const callsOf = async (text: string) => {
      model.exchanges.length = 0;
      await editor.prompt(id, text);
      return model.exchanges.map(({ body: { system, messages } }) => ({
        system: JSON.stringify(system),
        last: JSON.stringify((messages as unknown[]).at(-1)),
      }));
    };
    const seen = async () => {
      const [asked, answered] = await callsOf(read);
      const handed = await callsOf(hand);
      return {
        instructions: asked?.system.includes('Answer in rhymes.'),
        content: answered?.last.includes('hello'),
        denial: answered?.last.includes('The rule deny'),
        agent: handed.some(({ system }) => system.includes('You are new.')),
      };
    };
    const plain = { instructions: false, content: true, denial: false, agent: false };
    for (let round = 0; round < 3; round++) expect(await seen()).toEqual(plain);
    const rules = '.amplifier/settings.local.yaml';
    await box.folder.write('AGENTS.md', 'Answer in rhymes.');
    const agent = '.amplifier/agents/newcomer.md';
    await box.folder.write(agent, '---\nname: newcomer\ndescription: New.\n---\nYou are new.\n');
    await box.folder.write(rules, 'permissions: { deny: ["read_file: notes.md"] }\n');
    expect(await seen()).toEqual({ instructions: true, content: false, denial: true, agent: true });
    for (const file of ['AGENTS.md', agent, rules]) await rm(box.folder.resolve(file));
    expect(await seen()).toEqual(plain);
  });

  it('answers for a session it does not know with the error the protocol has for it', async () => {
    const sessionId = 'session_01M7K5DQBQ6GY5D8XEVF7YYMC6';
    await expect(editor.prompt(sessionId, 'Hi.')).rejects.toMatchObject({ code: -32002 });
    await expect(
      editor.agent.request('session/set_mode', { sessionId, modeId: 'write' }),
    ).rejects.toMatchObject({ code: -32002 });
  });

  it('cancels a turn at once, and the session takes another prompt', async () => {
    const sessionId = await editor.open();
    const before = model.exchanges.length;
    const turn = editor.prompt(sessionId, '!hang');
    await model.received(before + 1);
    await editor.agent.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    editor.updates.length = 0;
    expect(await editor.prompt(sessionId, '!say Back.')).toMatchObject({ stopReason: 'end_turn' });
    expect(said(editor.updates)).toBe('Back.');
  });

  it('refuses a mode in which nobody is asked until the folder is trusted, and names the command', async () => {
    const sessionId = await editor.open();
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'yolo' });
    const refused = editor.prompt(sessionId, '!say Hi.');
    await expect(refused).rejects.toMatchObject({ data: { code: 'WORKSPACE_NOT_TRUSTED' } });
    await expect(refused).rejects.toThrow(`amplifier trust ${box.folder.path}`);
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'read_only' });
    expect(await editor.prompt(sessionId, '!say Hi.')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('lists, loads and resumes sessions in another process, and says nothing but protocol', async () => {
    const sessionId = await editor.open();
    await editor.prompt(sessionId, '!say One.');
    await editor[Symbol.asyncDispose]();
    expect(editor.child.exitCode).toBe(0);
    for (const line of editor.lines()) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    editor = await startEditor();
    const { sessions } = await editor.agent.request('session/list', {});
    expect(sessions.map((session) => session.sessionId)).toContain(sessionId);
    await handled(editor.agent.request('session/load', { sessionId, cwd: box.folder.path, mcpServers: [] }));
    expect(editor.updates).toMatchObject([
      { sessionUpdate: 'user_message_chunk', content: { text: '!say One.' } },
      { sessionUpdate: 'agent_message_chunk', content: { text: 'One.' } },
    ]);
    editor.updates.length = 0;
    await editor.prompt(sessionId, '!say Two.');
    expect(said(editor.updates)).toBe('Two.');
    await editor.agent.request('session/close', { sessionId });
    editor.updates.length = 0;
    await editor.agent.request('session/resume', { sessionId, cwd: box.folder.path });
    expect(editor.updates).toEqual([]);
    expect(await editor.prompt(sessionId, '!say Three.')).toMatchObject({ stopReason: 'end_turn' });
    const nobody = 'session_01ARZ3NDEKTSV4RRFFQ69G5FAV';
    await expect(
      editor.agent.request('session/load', { sessionId: nobody, cwd: box.folder.path, mcpServers: [] }),
    ).rejects.toThrow(/no session/);
  });

  it('ends what runs when the editor goes, and the session can be gone on with', async () => {
    const sessionId = await editor.open();
    const before = model.exchanges.length;
    void editor.prompt(sessionId, '!hang').catch(() => {});
    await model.received(before + 1);
    await editor[Symbol.asyncDispose]();
    expect(editor.child.exitCode).toBe(0);
    const shown = await box.run(['status', sessionId, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'terminated' });
  });
});

describe('an external agent that a model delegates to, for an editor', () => {
  let own: Editor;
  beforeAll(async () => {
    own = await startEditor();
  });
  afterAll(() => own[Symbol.asyncDispose]());

  it.each([
    ['reject_once', 'untrusted', 0, false],
    ['reject_once', 'trusted', 1, false],
    ['allow_once', 'trusted', 1, true],
  ])('%s in a folder that is %s', async (answer, folder, asked, changed) => {
    if (folder === 'trusted') await box.trust();
    own.asked.length = 0;
    own.updates.length = 0;
    own.answer = answer;
    const call = { agent: 'acp:chaos', context_depth: 'none', instruction: '!write made.txt new' };
    const prompt = `!call delegate ${JSON.stringify(call)}\n!then\n!say Over.`;
    await own.prompt(await own.open(), prompt);
    expect(said(own.updates)).toContain('Over.');
    expect(own.asked).toHaveLength(asked);
    expect(existsSync(box.folder.resolve('made.txt'))).toBe(changed);
  });

  it('asks about a terminal with its folder, its variables and all its words', async () => {
    await box.trust();
    own.asked.length = 0;
    own.answer = 'reject_once';
    const env = [{ name: 'GIT_PAGER', value: "sh -c 'x'" }];
    const request = { command: 'git', args: ['log', 'A=1', '-p'], cwd: '/usr/share', env };
    const instruction = `!terminal_request ${JSON.stringify(request)}`;
    const call = { agent: 'acp:chaos', context_depth: 'none', instruction };
    await own.prompt(await own.open(), `!call delegate ${JSON.stringify(call)}\n!then\n!say Over.`);
    const line = `cd /usr/share && GIT_PAGER='sh -c '\\''x'\\''' git log 'A=1' -p`;
    expect(own.asked.map(({ toolCall }) => toolCall)).toMatchObject([
      { title: expect.stringContaining(line), kind: 'execute', rawInput: { command: line } },
    ]);
  });

  it('asks with the call it announced: its kind, its places in the folder of the person, and the diff', async () => {
    await box.trust();
    own.asked.length = 0;
    own.answer = 'allow_once';
    const instruction = '!ask_announced execute sub/run.sh\n!write made-too.txt new';
    const call = { agent: 'acp:chaos', context_depth: 'none', instruction };
    await own.prompt(await own.open(), `!call delegate ${JSON.stringify(call)}\n!then\n!say Over.`);
    const path = (name: string) => box.folder.resolve(name);
    expect(own.asked.map(({ toolCall }) => toolCall)).toMatchObject([
      {
        toolCallId: 'call-1',
        title: expect.stringContaining('execute sub/run.sh'),
        kind: 'execute',
        locations: [{ path: path('sub/run.sh'), line: 3 }],
        content: [{ type: 'diff', path: path('sub/run.sh'), oldText: null, newText: 'new' }],
      },
      {
        title: expect.stringContaining('Apply what'),
        kind: 'edit',
        locations: [{ path: path('made-too.txt') }],
        content: [{ type: 'diff', path: path('made-too.txt'), oldText: null, newText: 'new\n' }],
      },
    ]);
  });
});
