import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DaemonProcess } from '../torture/daemon-process.js';
import { call, delegate, runProfile, script } from '../torture/run-profile.js';

const MEGABYTE = 1024 * 1024;
/** Longer than any name a person would give; a pattern that goes back and forth over it is at it for years. */
const NAME = `${'a'.repeat(120)}c`;

let workspace: TempWorkspace;
let model: FakeModelServer;
let daemon: DaemonProcess;

beforeAll(async () => {
  workspace = await TempWorkspace.create({ [`work/${NAME}.txt`]: 'x', 'work/notes.md': 'Some notes.\n' });
  model = await FakeModelServer.start();
  daemon = await DaemonProcess.start(workspace.resolve('home'), {
    RUN_TEST_KEY: 'sk-run-test',
    AMPLIFIERD_ALLOW_PRIVATE_REFS: 'true',
    AMPLIFIERD_SHUTDOWN_TIMEOUT_MS: '500',
    AMPLIFIERD_MAX_CHILDREN: '100',
  });
  const manifest = runProfile(model.url)
    .replace('hooks:\n  - module: hooks-approval\n', '')
    .replace('tools:\n', 'tools:\n  - module: tool-search\n  - module: tool-bash\n');
  await post('/api/v1/profiles', { name: 'worker', manifest });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await workspace[Symbol.asyncDispose]();
});

interface Run {
  run_id: string;
  status: string;
  outcome: { text?: string; error?: { code: string } };
}

async function post<Body>(path: string, json: object): Promise<Body> {
  const response = await daemon.fetch(path, { method: 'POST', json });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Body;
}

async function run(instruction: string, more: object = {}): Promise<Run & { session_id: string }> {
  const working_dir = workspace.resolve('work');
  const { session_id } = await post<{ session_id: string }>('/api/v1/sessions', {
    profile_id: 'local/worker',
    working_dir,
  });
  const path = `/api/v1/sessions/${session_id}/runs`;
  const begun = await post<Run>(path, { instruction, ...more });
  const ended = (await (await daemon.fetch(`${path}/${begun.run_id}?wait=300`)).json()) as Run;
  return { ...ended, session_id };
}

/** What the model was told last: results of tools are in it. */
const told = () => JSON.stringify(model.exchanges.at(-1)?.body);

/** Whoever the daemon started and has not collected, and all it started that live. */
async function processesBelow(pid: number): Promise<{ dead: number; alive: number }> {
  const counts = { dead: 0, alive: 0 };
  for (const name of (await readdir('/proc')).filter((each) => /^\d+$/.test(each))) {
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(parent) === pid) counts[state === 'Z' || state === 'X' ? 'dead' : 'alive']++;
  }
  return counts;
}

/** Files and folders that a process watches. */
async function watchesOf(pid: number): Promise<number> {
  let count = 0;
  for (const name of await readdir(`/proc/${pid}/fdinfo`)) {
    const info = await readFile(`/proc/${pid}/fdinfo/${name}`, 'latin1').catch(() => '');
    count += info.match(/^inotify wd:/gm)?.length ?? 0;
  }
  return count;
}

/** Each must end by itself, and may not keep anybody else from going on. */
const ATTACKS: Record<string, () => Promise<void>> = {
  async 'an answer against a schema whose pattern never ends'() {
    const properties = { a: { type: 'string', pattern: '^(a+)+$' } };
    const output_schema = { type: 'object', properties, required: ['a'] };
    const said = `!say ${JSON.stringify({ a: `${'a'.repeat(40)}!` })}`;
    const ended = await run(
      script(delegate({ agent: 'scout', instruction: said, output_schema }), '!say Done.'),
    );
    expect(ended.status).toBe('completed');
  },

  async 'an answer full of fences'() {
    const output_schema = { type: 'object', properties: {}, required: ['a'] };
    const said = `!say ${'``` '.repeat(20_000)}`;
    const ended = await run(
      script(delegate({ agent: 'scout', instruction: said, output_schema }), '!say Done.'),
    );
    expect(ended.status).toBe('completed');
  },

  async 'a glob that goes back and forth'() {
    const pattern = `${'*a'.repeat(60)}*b`;
    const ended = await run(
      script([call('glob', { pattern }), call('glob', { pattern: `**/*c.txt` })], '!say Done.'),
    );
    expect(ended.status).toBe('completed');
    expect(told()).toContain(NAME);
  },

  async '1,500 commands in one message, of which 64 run and none is left behind'() {
    const calls = Array.from({ length: 1_500 }, () => call('bash', { command: ':' }));
    const ended = await run(script(calls, '!say Done.'));
    expect(ended.status).toBe('completed');
    expect(told().match(/\\"exit_code\\":0/g) ?? []).toHaveLength(64);
    await expect.poll(() => processesBelow(daemon.pid), { timeout: 100_000 }).toEqual({ dead: 0, alive: 0 });
  },

  async 'a hundred children in the background, without a process or a watch for each'() {
    const count = 100;
    const said = (from: number) =>
      Array.from({ length: count / 2 }, (_, index) =>
        delegate({ agent: 'scout', instruction: `!say Child ${from + index}.`, background: true }),
      );
    // No message may bring more than 64 calls.
    const ended = await run(script(said(0), said(count / 2), '!say Done.'));
    expect(ended.status).toBe('completed');
    const path = `/api/v1/sessions/${ended.session_id}/children`;
    const most = { processes: 0, watches: 0 };
    const completed = async () => {
      most.processes = Math.max(most.processes, (await processesBelow(daemon.pid)).alive);
      most.watches = Math.max(most.watches, await watchesOf(daemon.pid));
      const all = (await (await daemon.fetch(path)).json()) as { status: string }[];
      return all.filter(({ status }) => status === 'completed').length;
    };
    await expect.poll(completed, { timeout: 200_000, interval: 250 }).toBe(count);
    expect(most.processes).toBe(0);
    expect(most.watches).toBeLessThan(32);
  },

  async 'a model without a price under a limit of cost'() {
    const ended = await run('!say Dear.', { limits: { max_cost_usd: '1.00' } });
    expect(ended.status).not.toBe('completed');
  },

  async 'an archive that unpacks to a thousand times its size'() {
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
      const source = `http://127.0.0.1:${port}/bomb.tgz`;
      const refused = await daemon.fetch('/api/v1/collections', {
        method: 'POST',
        json: { identifier: 'bomb', source },
      });
      expect([refused.ok, ((await refused.json()) as { code: string }).code]).toEqual([
        false,
        'REF_RESOLUTION_FAILED',
      ]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },

  async 'an answer of ten million characters'() {
    const long = { text: 'x'.repeat(10_000_000) };
    model.play(({ body }) => {
      const asked = JSON.stringify(body);
      return asked.includes('Speak at length.')
        ? long
        : asked.includes('!hang')
          ? { hang: 'before' }
          : { text: 'Fine.' };
    });
    const ended = await run('Speak at length.');
    expect(ended.outcome.text).toContain('The answer was cut after 1000000 characters; 9000000 more');
  },
};

describe('a daemon under attack answers, lets others finish and goes on:', () => {
  it.each(Object.entries(ATTACKS))(
    '%s',
    async (_name, attack) => {
      const over = new AbortController();
      const attacked = attack().finally(() => over.abort());
      const health: number[] = [];
      const watching = (async () => {
        do health.push((await fetch(`${daemon.url}/healthz`)).status);
        while (!over.signal.aborted);
      })();
      const [other] = await Promise.all([run('!say Fine.'), attacked, watching]);
      expect([other.status, other.outcome.text]).toEqual(['completed', 'Fine.']);
      expect(new Set(health)).toEqual(new Set([200]));
    },
    300_000,
  );

  it('takes no more memory than a daemon may for all of that', async () => {
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(await readFile(`/proc/${daemon.pid}/status`, 'utf8'))?.[1];
    expect(Number(peak)).toBeLessThan(1024 * 1024);
  });

  it('and ends when it is told to', async () => {
    void run('!hang').catch(() => {});
    await model.received(model.exchanges.length + 1);
    expect(await daemon.stop()).toBe(0);
  });
});
