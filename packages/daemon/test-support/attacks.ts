import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { DaemonProcess } from './daemon-process.js';
import { call, delegate, runProfile, script } from './run-profile.js';

const MEGABYTE = 1024 * 1024;
/** Longer than any name a person would give; a pattern that goes back and forth over it is at it for years. */
const NAME = `${'a'.repeat(120)}c`;

interface Run {
  run_id: string;
  status: string;
  outcome: { text?: string; error?: { code: string } };
}

interface SceneOptions {
  environment?: Record<string, string>;
  /** Its home is on a disk of its own of this size. */
  diskBytes?: number;
  /** Before the daemon starts on it. */
  prepare?: (home: string) => Promise<unknown>;
}

/** A real daemon, a model that does what the instruction says, and sessions that may search, run commands and delegate. */
export class AttackScene implements AsyncDisposable {
  readonly workspace: TempWorkspace;
  readonly model: FakeModelServer;
  readonly daemon: DaemonProcess;

  private constructor(workspace: TempWorkspace, model: FakeModelServer, daemon: DaemonProcess) {
    this.workspace = workspace;
    this.model = model;
    this.daemon = daemon;
  }

  static async open({ environment, diskBytes = 0, prepare }: SceneOptions = {}): Promise<AttackScene> {
    const files = { [`work/${NAME}.txt`]: 'x', 'work/notes.md': 'Some notes.\n' };
    const workspace = await TempWorkspace.create(files);
    const home = workspace.resolve('home');
    await mkdir(home);
    await prepare?.(home);
    const model = await FakeModelServer.start();
    const daemon = await DaemonProcess.start(
      home,
      {
        RUN_TEST_KEY: 'sk-run-test',
        AMPLIFIERD_TOKEN: 'a-token-for-this-scene',
        AMPLIFIERD_ALLOW_PRIVATE_REFS: 'true',
        AMPLIFIERD_MAX_CHILDREN: '100',
        ...environment,
      },
      { diskBytes },
    );
    const scene = new AttackScene(workspace, model, daemon);
    const manifest = runProfile(model.url)
      .replace('hooks:\n  - module: hooks-approval\n', '')
      .replace('tools:\n', 'tools:\n  - module: tool-search\n  - module: tool-bash\n');
    await scene.post('/api/v1/profiles', { name: 'worker', manifest });
    return scene;
  }

  async post<Body>(path: string, json: object): Promise<Body> {
    const response = await this.daemon.fetch(path, { method: 'POST', json });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Body;
  }

  async run(instruction: string, more: object = {}): Promise<Run & { session_id: string }> {
    const working_dir = this.workspace.resolve('work');
    const profile = { profile_id: 'local/worker', working_dir };
    const { session_id } = await this.post<{ session_id: string }>('/api/v1/sessions', profile);
    const path = `/api/v1/sessions/${session_id}/runs`;
    const begun = await this.post<Run>(path, { instruction, ...more });
    const ended = (await (await this.daemon.fetch(`${path}/${begun.run_id}?wait=300`)).json()) as Run;
    return { ...ended, session_id };
  }

  /** All that the model was told of a conversation: results of tools are in it. */
  told(session: string): string {
    const bodies = this.model.exchanges.map(({ body }) => JSON.stringify(body));
    return bodies.findLast((body) => body.includes(session)) ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    await this.workspace[Symbol.asyncDispose]();
  }
}

/** Ends by itself, or rejects when it exceeded its limit. */
export type Attack = (scene: AttackScene) => Promise<unknown>;

async function completes(scene: AttackScene, ...answers: (string | string[])[]) {
  const ended = await scene.run(script(...answers, '!say Done.'));
  assert.equal(ended.status, 'completed');
  return ended;
}

/** What one model, one address or one full disk may do to a daemon. None may keep anybody else from going on. */
export const ATTACKS = {
  async 'an answer against a schema whose pattern never ends'(scene) {
    const properties = { a: { type: 'string', pattern: '^(a+)+$' } };
    const output_schema = { type: 'object', properties, required: ['a'] };
    const said = `!say ${JSON.stringify({ a: `${'a'.repeat(40)}!` })}`;
    await completes(scene, delegate({ agent: 'scout', instruction: said, output_schema }));
  },

  async 'an answer full of fences'(scene) {
    const output_schema = { type: 'object', properties: {}, required: ['a'] };
    const said = `!say ${'``` '.repeat(20_000)}`;
    await completes(scene, delegate({ agent: 'scout', instruction: said, output_schema }));
  },

  async 'a glob that goes back and forth'(scene) {
    const pattern = `${'*a'.repeat(60)}*b`;
    await completes(scene, [call('glob', { pattern }), call('glob', { pattern: '**/*c.txt' })]);
    assert.match(scene.told(pattern), new RegExp(NAME));
  },

  async '1,500 commands in one message, of which 64 run'(scene) {
    await completes(
      scene,
      Array.from({ length: 1_500 }, () => call('bash', { command: ': many' })),
    );
    assert.equal(scene.told(': many').match(/\\"exit_code\\":0/g)?.length, 64);
  },

  async 'a hundred children in the background'(scene) {
    const count = 100;
    const said = (from: number) =>
      Array.from({ length: count / 2 }, (_, index) =>
        delegate({ agent: 'scout', instruction: `!say Child ${from + index}.`, background: true }),
      );
    // No message may bring more than 64 calls.
    const { session_id } = await completes(scene, said(0), said(count / 2));
    for (let ended = 0; ended < count; ) {
      const children = await scene.daemon.fetch(`/api/v1/sessions/${session_id}/children`);
      const statuses = ((await children.json()) as { status: string }[]).map(({ status }) => status);
      ended = statuses.filter((status) => status === 'completed').length;
    }
  },

  async 'a model without a price under a limit of cost'(scene) {
    const { status } = await scene.run('!say Dear.', { limits: { max_cost_usd: '1.00' } });
    assert.notEqual(status, 'completed');
  },

  async 'an archive that unpacks to a thousand times its size'(scene) {
    // A file of which the archive says that it is as large as it is.
    const header = Buffer.alloc(512);
    header.write('bomb');
    header.write('0000600\0', 100);
    header.write(`${(960 * MEGABYTE).toString(8).padStart(11, '0')}\0`, 124);
    header.fill(' ', 148, 156);
    header.write('0', 156);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const zeros = gzipSync(Buffer.alloc(16 * MEGABYTE));
    const bomb = Buffer.concat([gzipSync(header), ...Array.from({ length: 60 }, () => zeros)]);
    const server = createServer((_request, response) => response.end(bomb)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const json = { identifier: 'bomb', source: `http://127.0.0.1:${port}/bomb.tgz` };
      const refused = await scene.daemon.fetch('/api/v1/collections', { method: 'POST', json });
      assert.equal(((await refused.json()) as { code: string }).code, 'REF_RESOLUTION_FAILED');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },

  async 'long addresses of somebody without a token'({ daemon }) {
    const address = `${daemon.url}${'/'.repeat(12_000)}x`;
    const ask = async () => assert.equal((await fetch(address)).status, 401);
    await Promise.all(Array.from({ length: 50 }, ask));
  },

  async 'answers that redaction, mentions and patterns are run over'(scene) {
    const texts = [
      `${'a.'.repeat(100_000)} https://me:secret@x`,
      `@a${':.-'.repeat(60_000)}a`,
      '('.repeat(200_000),
    ];
    await Promise.all(
      texts.map((text) => completes(scene, delegate({ agent: 'scout', instruction: `!say ${text}` }))),
    );
  },

  async 'an overlay of 20,000 agents'({ daemon }) {
    const agents = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`a${at}`, { content: 'x' }]),
    );
    const json = { profile_id: 'local/worker', dry_run: true, agent_overlay: { agents } };
    const refused = await daemon.fetch('/api/v1/mount-plans/generate', { method: 'POST', json });
    assert.equal(refused.status, 400, await refused.text());
  },

  async 'a schema of 16,000 large patterns'(scene) {
    const { session_id } = await scene.run('!say Ready.');
    const names = Array.from({ length: 16_000 }, (_, at) => `^a{1,500}${at}$`);
    const patternProperties = Object.fromEntries(names.map((name) => [name, {}]));
    const output_schema = { type: 'object', patternProperties };
    const json = { agent: 'scout', instruction: '!say {}', output_schema, wait: 60 };
    const path = `/api/v1/sessions/${session_id}/delegate`;
    const refused = await scene.daemon.fetch(path, { method: 'POST', json });
    assert.ok(refused.status >= 400, await refused.text());
  },

  async 'listings of sessions with much metadata'({ daemon, workspace }) {
    const profile = { profile_id: 'local/worker', working_dir: workspace.resolve('work') };
    const json = { ...profile, metadata: { filler: 'x'.repeat(60_000) } };
    for (let at = 0; at < 60; at++)
      await (await daemon.fetch('/api/v1/sessions', { method: 'POST', json })).arrayBuffer();
    const list = async () => {
      const page = await daemon.fetch('/api/v1/sessions?limit=1000');
      assert.ok((await page.arrayBuffer()).byteLength < 2 * MEGABYTE);
    };
    await Promise.all(Array.from({ length: 12 }, list));
  },

  'a session of many lines to import': (scene) => importMuch(scene, 5_000),

  'an answer of ten million characters': (scene) => speakAtLength(scene, 10_000_000),

  async 'exports at once of a long session'(scene) {
    const session_id = await longSession(scene);
    const read = async () => {
      const response = await scene.daemon.fetch(`/api/v1/sessions/${session_id}/export`);
      let end = '';
      for await (const chunk of response.body ?? [])
        end = (end + Buffer.from(chunk).toString('latin1')).slice(-100);
      assert.match(end, /"kind":"end"/);
    };
    await Promise.all(Array.from({ length: 6 }, read));
  },

  async 'transcripts of long messages, many at once'(scene) {
    const session_id = await longSession(scene);
    const path = `/api/v1/sessions/${session_id}`;
    const read = async (part: string) => {
      const response = await scene.daemon.fetch(`${path}/${part}`);
      assert.ok((await response.arrayBuffer()).byteLength < 3 * MEGABYTE);
      assert.equal(response.status, 200);
    };
    const parts = ['transcript?limit=1000', 'transcript', 'transcript?after=0', 'events?limit=1000'];
    await Promise.all(Array.from({ length: 12 }, () => parts.map(read)).flat());
    await (await scene.daemon.fetch('/api/v1/sessions/search?q=nowhere')).arrayBuffer();
  },

  async 'requests with two host names'({ daemon }) {
    const { hostname, port, host } = new URL(daemon.url);
    const ask = async () => {
      const socket = connect(Number(port), hostname);
      socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      assert.match(answer.toString('latin1'), /^HTTP\/1\.1 400 /);
    };
    await Promise.all(Array.from({ length: 50 }, ask));
  },

  async 'readers that do not read'(scene) {
    const session_id = await longSession(scene);
    const { hostname, port, host } = new URL(scene.daemon.url);
    // A separate token: limits count per token.
    const { token } = await scene.post<{ token: string }>('/api/v1/tokens', { scope: 'read', name: 'slow' });
    const sockets: Socket[] = [];
    const ask = async (part: string) => {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.on('error', () => {});
      await once(socket, 'connect');
      const path = `/api/v1/sessions/${session_id}/${part}`;
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    };
    const parts = ['export', 'transcript?limit=1000', 'events', 'transcript'];
    await Promise.all(Array.from({ length: 50 }, () => parts.map(ask)).flat());
    // So long the others have, while none of these is read.
    for (let count = 0; count < 20; count++)
      await (await scene.daemon.fetch(`/api/v1/sessions/${session_id}/transcript?limit=1`)).arrayBuffer();
    for (const socket of sockets) socket.destroy();
  },
} satisfies Record<string, Attack>;

export async function speakAtLength(scene: AttackScene, characters: number): Promise<void> {
  const long = { text: 'x'.repeat(characters) };
  scene.model.play(({ body }) => {
    const asked = JSON.stringify(body);
    if (asked.includes('Speak at length.')) return long;
    return asked.includes('!hang') ? { hang: 'before' } : { text: 'Fine.' };
  });
  const { outcome } = await scene.run('Speak at length.');
  const more = characters - 1_000_000;
  assert.ok(
    outcome.text?.includes(`The answer was cut after 1000000 characters; ${more} more`),
    outcome.text?.slice(-200),
  );
}

const longSessions = new WeakMap<AttackScene, Promise<string>>();

/** A session of so many messages of a megabyte, made once. */
export function longSession(scene: AttackScene, megabytes = 24): Promise<string> {
  const known = longSessions.get(scene) ?? makeLongSession(scene, megabytes);
  longSessions.set(scene, known);
  return known;
}

async function makeLongSession(scene: AttackScene, megabytes: number): Promise<string> {
  const profile = { profile_id: 'local/worker', working_dir: scene.workspace.resolve('work') };
  const { session_id } = await scene.post<{ session_id: string }>('/api/v1/sessions', profile);
  const json = { role: 'user', content: 'x'.repeat(1_000_000) };
  for (let count = 0; count < megabytes; count++)
    await scene.post(`/api/v1/sessions/${session_id}/messages?auto_start=true`, json);
  return session_id;
}

/** One of more lines than are taken, and one of so many. */
export async function importMuch(scene: AttackScene, lines: number): Promise<void> {
  const { session_id } = await completes(scene);
  const exported = await (await scene.daemon.fetch(`/api/v1/sessions/${session_id}/export`)).text();
  const known = exported
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { message } = known.find(({ kind }) => kind === 'message');
  const others = known.filter(({ kind }) => kind !== 'message' && kind !== 'end');
  const end = known.at(-1);
  const send = async (count: number, content: string) => {
    const messages = Array.from({ length: count }, (_, at) => ({
      kind: 'message',
      message: { ...message, id: `m${at}`, seq: at + 1, content },
    }));
    const all = [...others, ...messages, { ...end, messages: count }];
    const body = all.map((line) => JSON.stringify(line)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    const path = `/api/v1/sessions/import?session_id=imported-${randomUUID()}`;
    return (await scene.daemon.fetch(path, { method: 'POST', headers, body })).status;
  };
  assert.equal(await send(50_001, 'x'), 413);
  assert.equal(await send(lines, 'x'.repeat(1_000)), 201);
}
