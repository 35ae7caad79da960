import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chaosAgentCommand } from '@amplifier/testkit';
import { detectSandbox } from '@amplifier/workspace';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, delegate, runProfile, script } from '../../test-support/run-profile.js';
import { serverCommands } from '../commands/server-commands.js';

const sandbox = await detectSandbox();
const SECRETS = ['SECRET-OF-OPERATOR', 'SECRET-OF-B', 'SECRET-OF-USER', 'SECRET-OF-DAEMON'];
/** Where the chaos agent is. */
const REPOSITORY = process.cwd();

let bench: RunBench;
let places: Record<'operator' | 'b' | 'user' | 'daemon', string>;
const flags = (more: object = {}) => ({
  rate_limit_per_second: 0,
  tenants: {
    'team-a': { readable: [REPOSITORY] },
    'team-b': { working_dir: bench.daemon.workspace.resolve('of-b') },
  },
  ...more,
});

beforeAll(async () => {
  bench = await RunBench.start({ rate_limit_per_second: 0 });
  const at = (name: string) => bench.daemon.workspace.resolve(name);
  places = {
    operator: at('work/operator.txt'),
    b: at('of-b/b.txt'),
    user: join(homedir(), 'notes-of-the-user.txt'),
    daemon: at('home/config/notes.txt'),
  };
  for (const folder of ['of-b', 'work/team-a', 'home/config', 'home/tenants/team-a'])
    await mkdir(at(folder), { recursive: true });
  const contents = [places.operator, places.b, places.user, places.daemon];
  for (const [index, path] of contents.entries()) await writeFile(path, `${SECRETS[index]}\n`);
  await writeFile(at('work/team-a/own.txt'), 'OWN-WORDS\n');
  const chaos = { command: chaosAgentCommand(), visible: [REPOSITORY] };
  await writeFile(
    at('home/tenants/team-a/settings.yaml'),
    JSON.stringify({ delegation: { agents: { chaos } } }),
  );
  await bench.restart(flags());
  const server = `cat ${contents.join(' ')} own.txt >&2; exit 1`;
  const tools = [
    '  - module: tool-search',
    '  - module: tool-bash',
    `  - { module: tool-mcp, config: { servers: { spy: { command: sh, args: [-c, ${JSON.stringify(server)}] } } } }`,
  ];
  const manifest = runProfile(bench.model.url)
    .replace('name: worker', 'name: bold')
    .replace('  - module: tool-delegate', tools.join('\n'))
    .replace('hooks:\n  - module: hooks-approval\n', '');
  const made = await bench.daemon.post('/api/v1/profiles', { name: 'bold', manifest });
  if (made.status !== 201) throw new Error(made.text);
});
afterAll(() => bench[Symbol.asyncDispose]());

const make = async (tenant: string, scope = 'admin') =>
  (await bench.daemon.post('/api/v1/tokens', { scope, tenant })).body.token as string;
const by = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** All that a session of the tenant was shown by its tools. */
async function seen(tenant: string, ...calls: string[]): Promise<string> {
  const options = by(await make(tenant));
  const { daemon } = bench;
  const made = await daemon.post('/api/v1/sessions', { profile_id: 'local/bold' }, options);
  const id = made.body.session_id;
  const order = { instruction: script(...calls, '!say Done.'), wait: 60 };
  const { body } = await daemon.post(`/api/v1/sessions/${id}/runs`, order, options);
  expect([body.status, body.error]).toEqual(['completed', null]);
  const { body: transcript } = await daemon.get(`/api/v1/sessions/${id}/transcript`, options);
  const messages = (transcript.messages ?? transcript) as { role: string; content: unknown }[];
  return JSON.stringify(messages.filter(({ role }) => role === 'tool'));
}

function expectNoSecret(text: string): void {
  for (const secret of SECRETS) expect(text).not.toContain(secret);
}

describe('a session of a tenant', () => {
  it('reads its own folder with file tools and search, and no file of another', async () => {
    const text = await seen(
      'team-a',
      call('read_file', { file_path: 'own.txt' }),
      ...Object.values(places).map((file_path) => call('read_file', { file_path })),
      call('read_file', { file_path: '../operator.txt' }),
      call('grep', { pattern: 'SECRET', path: '..' }),
      call('grep', { pattern: 'SECRET', path: bench.daemon.workspace.path }),
      call('glob', { pattern: '**/*.txt', path: '..' }),
      call('list_files', { path: '..' }),
    );
    expect(text).toContain('OWN-WORDS');
    expectNoSecret(text);
    expect(text).not.toContain('operator.txt\\n');
    expect(text.match(/not allowed/g)?.length).toBeGreaterThanOrEqual(9);
  });

  it.runIf(sandbox.name !== 'none')(
    'runs commands and MCP servers that see its own folder and the system',
    async () => {
      const before = bench.daemon.log.length;
      const line = `cat own.txt ${Object.values(places).join(' ')}; ls .. ${homedir()}; head -1 /etc/passwd; touch made.txt`;
      const text = await seen(
        'team-a',
        call('bash', { command: line }),
        call('read_file', { file_path: 'made.txt' }),
      );
      expect(text).toContain('OWN-WORDS');
      expect(text).toContain('root:');
      expectNoSecret(text);
      expect(text).not.toContain('operator.txt\\n');
      expect(text).not.toMatch(/There is no file/);
      const log = bench.daemon.log.slice(before).join('');
      expect(log).toContain('OWN-WORDS');
      expectNoSecret(log);
    },
  );

  it.runIf(sandbox.name !== 'none')(
    'runs commands that learn no path of another tenant or of the daemon, and no secret of it',
    async () => {
      const processes = 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr "\\0" "\\n"';
      const files = 'cat /proc/self/mountinfo /proc/self/maps; ls -l /proc/[0-9]*/fd';
      const names = 'find / -xdev -path /proc -prune -o -path /usr -prune -o -print';
      const text = await seen('team-a', call('bash', { command: `${processes}; ${files}; ${names}` }));
      expect(text).toContain('bwrap');
      expect(text).toContain(bench.daemon.workspace.resolve('work/team-a'));
      for (const path of [bench.daemon.workspace.resolve('of-b'), bench.daemon.daemon.home.home])
        expect(text).not.toContain(path);
      expect(text).not.toContain('sk-run-test');
      expect(text).not.toContain(bench.daemon.daemon.token);
    },
  );

  it('says in its launch record what it may read, and names no folder of another tenant', async () => {
    const options = by(await make('team-b'));
    const { body } = await bench.daemon.post('/api/v1/sessions', { profile_id: 'local/worker' }, options);
    const path = `/api/v1/sessions/${body.session_id}`;
    const instruction = script(delegate({ agent: 'scout', instruction: '!say Found.' }), '!say Well.');
    const ran = await bench.daemon.post(`${path}/runs`, { instruction, wait: 60 }, options);
    expect(ran.body.status).toBe('completed');
    const [child] = (await bench.daemon.get(`${path}/children`, options)).body;
    const launch = await bench.daemon.get(`${path}/launch`, options);
    expect(launch.body.grant.read.allow).toContain(bench.daemon.workspace.resolve('of-b'));
    expect(launch.body.grant.read.allow).not.toContain('/');
    const planned = { agent: 'scout', instruction: 'Look.' };
    const answers = [
      launch,
      await bench.daemon.get(`/api/v1/sessions/${child.session_id}/launch`, options),
      await bench.daemon.post(`${path}/delegate/dry-run`, planned, options),
      await bench.daemon.get(`${path}/export`, options),
      await bench.daemon.get(`/api/v1/sessions/${child.session_id}/export`, options),
      await bench.daemon.get(`${path}/events?children=true`, options),
      await bench.daemon.get(`${path}/tree`, options),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toContain('team-a');
    }
  });

  it('that proposes gets a tree of its own folder, not of the repository around it', async () => {
    const work = bench.daemon.workspace.resolve('work');
    const git = (...args: string[]) => promisify(execFile)('git', ['-C', work, ...args]);
    await git('init', '-q');
    await git('add', '.');
    await git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-qm', 'all');
    await bench.restart(flags({ runs: { safety_mode: 'propose' } }));
    const text = await seen(
      'team-a',
      call('read_file', { file_path: 'own.txt' }),
      call('read_file', { file_path: '../operator.txt' }),
      call('grep', { pattern: 'SECRET', path: '..' }),
      ...(sandbox.name === 'none'
        ? []
        : [call('bash', { command: 'cat ../operator.txt; git show HEAD:operator.txt' })]),
      call('write_file', { file_path: 'new.txt', content: 'NEW-WORDS' }),
      call('read_file', { file_path: 'new.txt' }),
    );
    await bench.restart(flags());
    expect(text).toContain('OWN-WORDS');
    expect(text).toContain('NEW-WORDS');
    expectNoSecret(text);
  });

  it('is not continued where it was launched with access to more than its tenant has now', async () => {
    await bench.restart(flags({ tenants: { 'team-a': { readable: ['/srv'] }, 'team-b': {} } }));
    const options = by(await make('team-a'));
    const { body } = await bench.daemon.post('/api/v1/sessions', { profile_id: 'local/bold' }, options);
    const run = () =>
      bench.daemon.post(
        `/api/v1/sessions/${body.session_id}/runs`,
        { instruction: '!say Well.', wait: 60 },
        options,
      );
    expect((await run()).body.status).toBe('completed');
    await bench.restart(flags());
    const refused = await run();
    expect([refused.status, refused.body.code]).toEqual([403, 'READ_SCOPE_WIDER']);
  });
});

describe('a tenant that the configuration does not list', () => {
  it('gets no token, over REST and on the command line, and the answer says what to add', async () => {
    const refused = await bench.daemon.post('/api/v1/tokens', { scope: 'read', tenant: 'team-x' });
    expect([refused.status, refused.body.code]).toEqual([403, 'TENANT_NOT_LISTED']);
    expect(refused.body.detail).toContain('tenants: { team-x: {} }');
    const program = {
      home: bench.daemon.daemon.home,
      environment: {},
      print: () => {},
      say: () => {},
    };
    const order = { scope: 'read' as const, name: null, tenant: 'team-x' };
    await expect(serverCommands.createToken(program, order)).rejects.toMatchObject({
      code: 'TENANT_NOT_LISTED',
    });
  });

  it('cannot use the tokens, cookies and runs that it has', async () => {
    const token = await make('team-b');
    const id = (await bench.daemon.post('/api/v1/sessions', { profile_id: 'local/bold' }, by(token))).body
      .session_id;
    await bench.restart({ rate_limit_per_second: 0, tenants: { 'team-a': {} } });
    for (const path of ['/api/v1/sessions', `/api/v1/sessions/${id}`, '/api/v1/session-of-browser']) {
      const { status, body } = await bench.daemon.get(path, by(token));
      expect([path, status, body.code]).toEqual([path, 403, 'TENANT_NOT_LISTED']);
    }
    // The operator cannot run it either: nothing says which files it may see.
    const run = await bench.run(id, '!say Well.', { wait: 60 });
    expect([run.status, run.body.code]).toEqual([403, 'TENANT_NOT_LISTED']);
    await bench.restart(flags());
  });
});

describe('at /mcp, a tenant', () => {
  const delegate = async (input: object) => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const headers = { authorization: `Bearer ${await make('team-a', 'run')}` };
    const url = new URL(`${bench.daemon.daemon.url}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const answer = await client.callTool({ name: 'delegate', arguments: { cli: 'acp:chaos', ...input } });
    await client.close();
    return JSON.stringify(answer);
  };

  it.runIf(sandbox.name !== 'none')(
    'has an external agent that sees its own folder, by itself and through us',
    async () => {
      const files = Object.values(places);
      const prompt = [
        ...files.flatMap((path) => [`!shell cat ${path}`, `!fs_read ${path}`, `!terminal cat ${path}`]),
        '!shell cat own.txt',
        '!fs_read own.txt',
      ].join('\n');
      const answer = await delegate({ prompt });
      expectNoSecret(answer);
      expect(answer).toContain('OWN-WORDS');
    },
  );

  it('attaches no file of another', async () => {
    for (const path of Object.values(places)) {
      const answer = await delegate({ prompt: '!prompt', attachments: [path] });
      expectNoSecret(answer);
      expect(answer).toContain('cannot be attached');
    }
  });

  it('cannot start an external agent that lies where it may not read', async () => {
    await bench.restart(flags({ tenants: { 'team-a': {} } }));
    const answer = await delegate({ prompt: '!say Hello.' });
    await bench.restart(flags());
    // The interpreter is in a system folder, the program is not.
    expect(answer).toMatch(/ACP_HANDSHAKE_FAILED|ACP_SPAWN_FAILED/);
  });
});
