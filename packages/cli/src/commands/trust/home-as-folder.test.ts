import { spawnSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderTrust, hostPaths, trustFolder } from '@amplifier/host';
import { chaosAgentCommand, FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const REPOSITORY = resolve(fileURLToPath(import.meta.url), '../../../../../..');

/** A trusted home folder that sessions work in, with Amplifier's own folders at their usual places in it. */
async function homeFolder(files: Record<string, string>) {
  const server = await FakeModelServer.start();
  const box = await CliSandbox.create({ 'notes/a.txt': 'one\n', ...files });
  const home = box.folder.path;
  const own = { HOME: home, AMPLIFIER_HOME: join(home, '.amplifier') };
  const chaos = { command: chaosAgentCommand(), visible: [REPOSITORY] };
  await box.folder.write('.amplifier/settings.yaml', JSON.stringify({ delegation: { agents: { chaos } } }));
  const paths = hostPaths(home, own);
  await trustFolder(paths, await folderTrust(paths));
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1`, ...own };
  return {
    home,
    read: (name: string) => box.folder.read(name),
    run: (args: string[]) => box.run(args, { env }),
    /** Runs these tool calls and returns their results as the model received them. */
    async call(calls: [string, object][], ...flags: string[]): Promise<string> {
      const task = [...calls.map(([tool, input]) => `!call ${tool} ${JSON.stringify(input)}`), '!say Done.'];
      const before = server.exchanges.length;
      const done = await box.run(['run', task.join('\n!then\n'), '--json', ...flags], { env });
      expect(done.json(), done.stderr + done.stdout).toMatchObject({ status: 'success' });
      const last = server.exchanges.slice(before).at(-1)?.body as
        | { messages: { role: string }[] }
        | undefined;
      return JSON.stringify((last?.messages ?? []).slice(1).filter(({ role }) => role === 'user'));
    },
    async [Symbol.asyncDispose]() {
      await box[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('a session whose folder is the home', () => {
  it.each(['write', 'yolo'])(
    'neither reads nor changes isolated trees of other sessions in %s',
    async (mode) => {
      await using at = await homeFolder({});
      const proposed = await at.run([
        'delegate',
        'acp:chaos',
        '!write notes/a.txt PRIVATE-PART',
        '--safety',
        'propose',
      ]);
      expect(proposed.code, proposed.stderr).toBe(0);
      const list = async () =>
        (await at.run(['proposals', 'list', '--json'])).json().proposals as { id: string }[];
      const [proposal] = await list();
      const trees = '.amplifier-trees';
      const tree = `${trees}/isolations/${proposal?.id}/tree`;
      const file = `${tree}/notes/a.txt`;
      expect(await at.read(file)).toBe('PRIVATE-PART\n');
      const command = `cat ${file}; rev ${file}; grep -r PRIVATE-PAR[T] .; ls -A ${trees}; echo more >> ${file}; mv ${trees} moved; echo done`;
      const told = await at.call(
        [
          ['read_file', { file_path: file }],
          ['grep', { pattern: 'PRIVATE-PAR.', path: '.', output_mode: 'content' }],
          ['glob', { pattern: '**/a.txt', path: '.' }],
          ['glob', { pattern: '**/a.txt', path: tree }],
          ['write_file', { file_path: file, content: 'changed' }],
          ['bash', { command }],
        ],
        '--safety',
        mode,
      );
      expect(told).toContain(`${trees} is denied`);
      expect(told).toContain('notes/a.txt');
      expect(told).toContain('done');
      expect(told).not.toMatch(/PRIVATE-PART|TRAP-ETAVIRP/);
      expect(told.replaceAll(tree, '')).not.toContain('isolations');
      const agent = `!fs_read ${join(at.home, file)}\n!fs_write ${join(at.home, file)} x\n!terminal cat ${join(at.home, file)}\n!write ${join(at.home, file)} x\n!say Done.`;
      const external = await at.run(['delegate', 'acp:chaos', agent, '--safety', mode, '--json']);
      expect(external.json().response, external.stderr).toContain('refused');
      expect(external.json().response).not.toContain('PRIVATE-PART');
      expect(await at.read(file)).toBe('PRIVATE-PART\n');
      expect((await list()).map(({ id }) => id)).toContain(proposal?.id);
      const applied = await at.run(['proposals', 'apply', proposal?.id ?? '']);
      expect(applied.code, applied.stderr).toBe(0);
      expect(await at.read('notes/a.txt')).toBe('PRIVATE-PART\n');
    },
  );
});

describe('a session in write whose folder is the home', () => {
  const existing = {
    '.knownrc': 'mine\n',
    '.config/known/init': 'mine\n',
    '.npm/index': 'a\n',
    'real/linked': 'mine\n',
  };

  it('writes no start-up file with file tools, whatever program reads it', async () => {
    await using at = await homeFolder(existing);
    await symlink('real/linked', join(at.home, '.linkedrc'));
    const refused = [
      '.knownrc',
      '.newrc',
      '.config/known/init',
      '.config/new/init',
      '.local/share/new',
      'bin/new',
      '.linkedrc',
      'real/linked',
    ];
    const allowed = ['.cache/new/a', '.npm/a', 'notes/.newrc', 'plain.txt'];
    const told = await at.call(
      [...refused, ...allowed].map((file_path) => ['write_file', { file_path, content: 'planted' }]),
      '--safety',
      'write',
    );
    for (const name of refused) expect(await at.read(name).catch(() => 'mine\n'), name).toBe('mine\n');
    for (const name of allowed) expect(await at.read(name), name).toBe('planted');
    const refusal = `Writing ${join(at.home, '.newrc')} is not allowed: .newrc in the home folder is read by programs of the user: they run it, or take settings from it, when they start. A session writes it only in yolo mode`;
    expect(told).toContain(refusal);
  });

  it('leaves no start-up file by a command, and uses its caches', async () => {
    await using at = await homeFolder(existing);
    await symlink('real/linked', join(at.home, '.linkedrc'));
    const lines = [
      'for f in .knownrc .config/known/init .config/added .newrc real/linked; do echo planted >> $f; done',
      'mkdir -p .newdir/sub bin; echo planted > .newdir/sub/a; echo planted > bin/new; mv .config moved',
      'mkdir -p .cache/new && echo cached > .cache/new/a && echo cached > .npm/a && echo ok > notes/.newrc',
      'git init -q; echo end',
    ];
    const told = await at.call([['bash', { command: lines.join('\n') }]], '--safety', 'write');
    expect(told).toContain('end');
    for (const name of ['.knownrc', '.config/known/init', 'real/linked'])
      expect(await at.read(name), name).toBe('mine\n');
    for (const name of ['.config/added', '.newrc', '.newdir/sub/a', 'bin/new'])
      await expect(at.read(name), name).rejects.toThrow('ENOENT');
    expect(await at.read('.newrc.held-back')).toBe('planted\n');
    expect(await at.read('.newdir.held-back/sub/a')).toBe('planted\n');
    expect(told).toContain(`may not write ${join(at.home, '.newrc')}, so it was renamed`);
    for (const name of ['.cache/new/a', '.npm/a']) expect(await at.read(name), name).toBe('cached\n');
    expect(await at.read('notes/.newrc')).toBe('ok\n');
    expect(await at.read('.git/HEAD')).toContain('ref:');
    // What was renamed before is not renamed again.
    const again = await at.call(
      [['bash', { command: 'echo planted > .newrc; git status --short | wc -l' }]],
      '--safety',
      'write',
    );
    expect(again).toContain('.newrc.held-back-2');
    expect(again).not.toContain('held-back.held-back');
  });

  it('gets no start-up file from an external agent', async () => {
    await using at = await homeFolder(existing);
    const play = (task: string) =>
      at.run(['delegate', 'acp:chaos', `${task}\n!say Done.`, '--safety', 'write', '--json']);
    const refused = await play(`!fs_write .newrc planted`);
    expect(refused.stdout, refused.stderr).toContain('.newrc in the home folder is read by');
    const planted = await play('!write notes/b.txt new\n!write .newrc planted');
    expect(planted.json(), planted.stderr).toMatchObject({ error: { code: 'PROPOSAL_ACTS_LATER' } });
    await expect(at.read('.newrc')).rejects.toThrow('ENOENT');
    const [proposal] = (await at.run(['proposals', 'list', '--json'])).json().proposals as { id: string }[];
    const unseen = await at.run(['proposals', 'apply', proposal?.id ?? '']);
    expect(unseen.stderr).toContain('other programs run later: .newrc');
    const applied = await at.run(['proposals', 'apply', proposal?.id ?? '', '--yes']);
    expect(applied.code, applied.stderr).toBe(0);
    expect(await at.read('.newrc')).toBe('planted\n');
  });
});

describe('a session in an isolated tree', () => {
  it('reads and changes its own, reviews what its child changed, and sees no other', async () => {
    await using at = await homeFolder({ 'project/b.txt': 'two\n' });
    const others = await at.run([
      'delegate',
      'acp:chaos',
      '!write notes/a.txt PRIVATE-PART',
      '--safety',
      'propose',
    ]);
    expect(others.code, others.stderr).toBe(0);
    spawnSync('git', ['init', '-q'], { cwd: join(at.home, 'project') });
    const look = `echo trees=$(ls -A ${at.home}/.amplifier-trees/isolations | wc -l); cat ${at.home}/.amplifier-trees/isolations/*/tree/notes/a.txt; grep -r PRIVATE-PAR[T] ${at.home}; echo three >> project/b.txt`;
    const delegated = {
      agent: 'self',
      context_depth: 'none',
      instruction:
        '!call write_file {"file_path": "project/c.txt", "content": "four"}\n!then\n!call bash {"command": "cat project/b.txt project/c.txt"}\n!then\n!say Written.',
    };
    const told = await at.call(
      [
        ['bash', { command: look }],
        ['read_file', { file_path: 'project/b.txt' }],
        ['delegate', delegated],
        ['read_file', { file_path: 'project/c.txt' }],
        ['bash', { command: 'cat project/c.txt' }],
      ],
      '--safety',
      'propose',
    );
    expect(told).not.toContain('PRIVATE-PART');
    expect(told).toContain('trees=1');
    expect(told).toContain('three');
    expect(told).toContain('+four');
    expect(told).toContain('four');
  });
});
