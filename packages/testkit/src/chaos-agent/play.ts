import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Act, Stage } from './stage.js';
import { subagent } from './sub-agents.js';
import { type Params, WireError } from './wire.js';

/** What a line `!name rest` of the prompt does. Lines are played from top to bottom. */
export const ACTS: Record<string, Act> = {
  say,
  think: (stage, text) =>
    update(stage, { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } }),
  sleep: (_stage, ms) => delay(Number(ms)).then(() => {}),
  /** Waits for the client to cancel. */
  wait: async ({ cancelled, response }) => {
    if (!cancelled.aborted) await once(cancelled, 'abort');
    response.stopReason = 'cancelled';
  },
  /** Does not even listen to a cancel. */
  hang: () => new Promise<void>(() => {}),
  /** Goes on only when the file is there. */
  hang_unless: ({ session }, file) =>
    existsSync(resolve(session.cwd, file)) ? undefined : new Promise<void>(() => {}),
  /** Goes on as soon as the file is there. */
  hang_until: async ({ session }, file) => {
    while (!existsSync(resolve(session.cwd, file))) await delay(20);
  },
  exit: (_stage, code) => process.exit(Number(code)),
  half: ({ wire }) => {
    wire.raw('{"jsonrpc":"2.0","method":"session/upd');
    process.stdout.end(() => process.exit(0));
    return new Promise<void>(() => {});
  },
  junk: ({ wire }, text) => wire.raw(`${text}\n`),
  stderr: (_stage, text) => void process.stderr.write(`${text}\n`),
  big: (stage, megabytes) => say(stage, 'x'.repeat(Number(megabytes) * 1024 * 1024)),
  updates: (stage, count) => {
    for (let index = 0; index < Number(count); index++) say(stage, `${index} `);
  },
  stop: ({ response }, reason) => {
    response.stopReason = reason;
  },
  error: (_stage, rest) => {
    const [, code = '-32603', message = 'It broke.'] = /^(-?\d+)\s*(.*)$/.exec(rest) ?? [];
    throw new WireError(Number(code), message);
  },
  usage: ({ response }, rest) => {
    const [input = 0, output = 0] = rest.split(' ').map(Number);
    response.usage = { inputTokens: input, outputTokens: output, totalTokens: input + output };
  },
  usage_meta: ({ response }, rest) => {
    const [input_tokens = 0, output_tokens = 0] = rest.split(' ').map(Number);
    response._meta = { quota: { token_count: { input_tokens, output_tokens } } };
  },
  usage_chunk: (stage, rest) => {
    const [inputTokens = 0, outputTokens = 0] = rest.split(' ').map(Number);
    const content = { type: 'text', text: '' };
    update(stage, {
      sessionUpdate: 'agent_message_chunk',
      content,
      _meta: { usage: { inputTokens, outputTokens } },
    });
  },
  cost: (stage, amount) =>
    update(stage, {
      sessionUpdate: 'usage_update',
      used: 1,
      size: 10,
      cost: { amount: Number(amount), currency: 'USD' },
    }),
  /** Says which images came with the prompt. */
  images: (stage) => say(stage, stage.images.join(', ') || 'none'),
  unknown: (stage) => update(stage, { sessionUpdate: 'something_new', data: 1 }),
  plan: (stage, content) =>
    update(stage, { sessionUpdate: 'plan', entries: [{ content, priority: 'high', status: 'pending' }] }),
  tool: (stage, rest) => {
    const [kind = 'other', ...title] = rest.split(' ');
    const toolCallId = `call-${++stage.calls}`;
    update(stage, {
      sessionUpdate: 'tool_call',
      toolCallId,
      title: title.join(' '),
      kind,
      status: 'in_progress',
    });
    update(stage, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
  },
  /** A tool call that failed, with what it said. */
  tool_fails: (stage, output) => {
    const toolCallId = `call-${++stage.calls}`;
    update(stage, { sessionUpdate: 'tool_call', toolCallId, title: 'try', kind: 'execute' });
    update(stage, { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed', rawOutput: output });
  },
  /** Runs a line in a shell, inside a sandbox of its own unless its mode is `full`. */
  shell: (stage, line) => shell(stage, line),
  subagent,
  /** Says how its thread is, the way one real agent does. */
  thread: (stage, type) =>
    update(stage, {
      sessionUpdate: 'session_info_update',
      _meta: { chaos: { threadStatus: { type } } },
    }),
  /** Names another session in all further requests; without a name, its own again. */
  as: (stage, sessionId) => {
    stage.named = sessionId === '' ? undefined : sessionId;
  },
  /** Asks for permission and says what came of it. */
  ask: (stage, rest) =>
    trying(stage, async () => {
      const [kind = 'other', path] = rest.split(' ');
      say(stage, `[${await ask(stage, kind, path)}]`);
    }),
  /** Announces a call with its place and a diff, then asks about it by its id alone, as some agents do. */
  ask_announced: async (stage, rest) => {
    const [kind = 'other', path = 'x.txt'] = rest.split(' ');
    const place = resolve(stage.session.cwd, path);
    const toolCallId = `call-${stage.calls + 1}`;
    const content = [{ type: 'diff', path: place, oldText: null, newText: 'new' }];
    const call = { title: `${kind} ${path}`, kind, locations: [{ path: place, line: 3 }], content };
    update(stage, { sessionUpdate: 'tool_call', toolCallId, status: 'pending', ...call });
    say(stage, `[${await ask(stage)}]`);
  },
  /** Asks with nothing but a way to abort, or with words nobody knows. */
  ask_abort: async (stage) => say(stage, `[${await ask(stage, 'execute', undefined, ABORT_ONLY)}]`),
  ask_odd: async (stage) => say(stage, `[${await ask(stage, 'edit', undefined, ODD)}]`),
  storm: async (stage, count) => {
    const asked = Array.from({ length: Number(count) }, () => ask(stage, 'edit', 'x.txt'));
    const answers = await Promise.all(asked);
    say(stage, `${answers.filter((answer) => answer === 'allow').length} of ${answers.length} allowed`);
  },
  /** Writes without asking anybody. */
  write: (stage, rest) => {
    const [path = '', ...words] = rest.split(' ');
    try {
      const file = resolve(stage.session.cwd, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${words.join(' ')}\n`);
      say(stage, `wrote ${path}. `);
    } catch (error) {
      say(stage, `could not write ${path}: ${(error as Error).message}. `);
    }
  },
  fs_read: (stage, path) =>
    trying(stage, async () => {
      const { content } = await stage.wire.request('fs/read_text_file', {
        sessionId: named(stage),
        path: resolve(stage.session.cwd, path),
      });
      say(stage, String(content));
    }),
  fs_read_lines: (stage, rest) =>
    trying(stage, async () => {
      const [path = '', line, limit] = rest.split(' ');
      const { content } = await stage.wire.request('fs/read_text_file', {
        sessionId: stage.session.id,
        path: resolve(stage.session.cwd, path),
        ...(line ? { line: Number(line) } : {}),
        ...(limit ? { limit: Number(limit) } : {}),
      });
      say(stage, `${JSON.stringify(content)}. `);
    }),
  fs_write: (stage, rest) =>
    trying(stage, async () => {
      const [path = '', ...words] = rest.split(' ');
      const file = resolve(stage.session.cwd, path);
      await stage.wire.request('fs/write_text_file', {
        sessionId: named(stage),
        path: file,
        content: `${words.join(' ')}\n`,
      });
      say(stage, `wrote ${path}. `);
    }),
  terminal: (stage, rest) =>
    trying(stage, () => {
      const [command, ...args] = rest.split(' ');
      return terminal(stage, { command, args });
    }),
  /** A terminal by its whole request, as JSON. */
  terminal_request: (stage, request) => trying(stage, () => terminal(stage, JSON.parse(request))),
  /** Leaves a process behind that has left its parent and its session. */
  daemon: (stage) => {
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    child.unref();
    say(stage, `daemon ${child.pid}. `);
  },
  env: (stage, name) => say(stage, `${name}=${process.env[name] ?? ''}. `),
  history: ({ session, ...stage }) =>
    say({ session, ...stage } as Stage, session.turns.map(({ prompt }) => prompt).join(' | ')),
  /** Says again what it was told, without what it was told to do. */
  prompt: (stage) => say(stage, stage.prompt.replace(/^!.*$/gm, '').trim()),
  about: (stage) => {
    const { model, effort, mode, mcp_servers, cwd } = stage.session;
    say(stage, JSON.stringify({ model, effort, mode, mcp_servers, cwd, argv: process.argv.slice(2) }));
  },
};

const OPTIONS = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'abort', name: 'Abort the turn', kind: 'reject_once' },
  { optionId: 'decline', name: 'No', kind: 'reject_once' },
];
const ABORT_ONLY = [OPTIONS[0], { optionId: 'cancel', name: 'Cancel', kind: 'reject_once' }];
const ODD = [{ optionId: 'maybe', name: 'Perhaps', kind: 'allow_perhaps' }];

function say(stage: Stage, text: string): void {
  stage.said += text;
  update(stage, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
}

function update({ wire, session }: Stage, body: Params): void {
  wire.notify('session/update', { sessionId: session.id, update: body });
}

function named({ named: other, session }: Stage): string {
  return other ?? session.id;
}

/** Without a kind nothing is said of the call but its id. */
async function ask(stage: Stage, kind?: string, path?: string, options: unknown = OPTIONS): Promise<string> {
  const toolCallId = `call-${++stage.calls}`;
  const locations = path ? [{ path: resolve(stage.session.cwd, path) }] : [];
  const call = kind === undefined ? {} : { title: `${kind} ${path ?? ''}`.trim(), kind, locations };
  const { outcome } = await stage.wire.request('session/request_permission', {
    sessionId: named(stage),
    toolCall: { toolCallId, ...call },
    options,
  });
  const { outcome: how, optionId } = outcome as { outcome: string; optionId?: string };
  if (optionId === 'cancel') stage.response.stopReason = 'cancelled';
  return how === 'selected' ? String(optionId) : how;
}

async function shell(stage: Stage, line: string): Promise<void> {
  const toolCallId = `call-${++stage.calls}`;
  update(stage, { sessionUpdate: 'tool_call', toolCallId, title: line, kind: 'execute' });
  const own = ['bwrap', '--unshare-user', '--bind', '/', '/', '--'];
  const [program = '', ...args] = [...(stage.session.mode === 'full' ? [] : own), 'sh', '-c', line];
  const child = spawn(program, args, { cwd: stage.session.cwd });
  let data = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (data += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  const _meta = { terminal_output_delta: { terminal_id: toolCallId, data } };
  const status = code === 0 ? 'completed' : 'failed';
  update(stage, { sessionUpdate: 'tool_call_update', toolCallId, status, _meta });
}

async function terminal(stage: Stage, request: Params): Promise<void> {
  const sessionId = named(stage);
  const { terminalId } = await stage.wire.request('terminal/create', { sessionId, ...request });
  const { exitCode } = await stage.wire.request('terminal/wait_for_exit', { sessionId, terminalId });
  const { output, truncated } = await stage.wire.request('terminal/output', { sessionId, terminalId });
  await stage.wire.request('terminal/release', { sessionId, terminalId });
  const shown = String(output).trim();
  say(
    stage,
    `exit ${exitCode}: ${truncated ? `truncated to ${shown.length}, ` : ''}${truncated ? shown.slice(-20) : shown}. `,
  );
}

async function trying(stage: Stage, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    say(stage, `refused: ${(error as Error).message}. `);
  }
}
