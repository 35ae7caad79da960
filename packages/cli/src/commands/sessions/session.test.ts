import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

async function withSession(files: Record<string, string> = { 'a.txt': 'ALPHA', 'b.txt': 'BETA' }) {
  const box = await CliSandbox.create(files);
  const { session_id } = (await box.run(['run', '--offline', '--json', 'read a.txt'])).json();
  return { box, session_id };
}

describe('amplifier session', () => {
  it('lists, shows and resumes a session from any folder by the first characters of its id', async () => {
    const { box, session_id } = await withSession();
    await using _ = box;
    expect((await box.run(['session', 'list', '--json'])).json()).toMatchObject({
      sessions: [{ session_id, status: 'completed', turn_count: 1 }],
      next_cursor: null,
    });
    const away = ['--cwd', box.home.path];
    expect((await box.run(['session', 'list', '--json', ...away])).json()).toMatchObject({ sessions: [] });
    const { stdout } = await box.run(['session', 'list', '--all-projects', ...away]);
    expect(stdout).toContain(session_id.replace('session_', ''));
    const prefix = session_id.slice(0, 20);
    const shown = await box.run(['session', 'show', prefix, ...away]);
    expect(shown.stdout).toMatch(/status +completed[\s\S]*user\nread a\.txt[\s\S]*ALPHA/);
    const resumed = await box.run(['session', 'resume', prefix, 'read b.txt', '--json', ...away]);
    expect(resumed.json()).toMatchObject({
      session_id,
      status: 'success',
      response: expect.stringContaining('BETA'),
    });
  });

  it('resumes offline what was begun on a model', async () => {
    const { box, session_id } = await withSession();
    await using _ = box;
    const resumed = await box.run(['session', 'resume', session_id, 'read b.txt', '--offline', '--json']);
    expect(resumed.json().metadata).toMatchObject({ model_used: 'offline-rules' });
  });

  it('keeps the safety mode of a session unless another is asked for', async () => {
    await using model = await FakeModelServer.start();
    await using box = await CliSandbox.create({ 'a.txt': 'old' });
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${model.url}/v1` };
    const write = (text: string) =>
      `!call write_file {"file_path": "a.txt", "content": "${text}"}\n!then\n!say Done.`;
    const begun = ['run', '--json', '-m', 'fake-1', '--safety', 'read_only', write('one')];
    const { session_id } = (await box.run(begun, { env })).json();
    await box.run(['session', 'resume', session_id, write('two')], { env });
    expect(await readFile(box.folder.resolve('a.txt'), 'utf8')).toBe('old');
    await box.run(['session', 'resume', session_id, '--safety', 'write', write('three')], { env });
    expect(await readFile(box.folder.resolve('a.txt'), 'utf8')).toBe('three');
  });

  it('draws the tree below a session', async () => {
    const box = await CliSandbox.create({ 'README.md': 'Hello.' });
    await using _ = box;
    const demo = (await box.run(['demo', '--json'])).json();
    expect(demo.status).toBe('completed');
    const { stdout } = await box.run(['session', 'tree', demo.session_id]);
    expect(stdout).toMatch(/^amplifier +completed .*\$0 +session_/);
    expect(stdout).toMatch(/^[├└]─ explorer +completed/m);
    expect(stdout).toMatch(/└─ explorer +completed .*_explorer$/m);
    const json = (await box.run(['session', 'tree', demo.session_id, '--json'])).json();
    expect(json.children).toHaveLength(3);
  });

  it('forks at a turn and goes on in the fork; the source stays as it was', async () => {
    const { box, session_id } = await withSession();
    await using _ = box;
    await box.run(['session', 'resume', session_id, 'read b.txt']);
    const fork = (await box.run(['session', 'fork', session_id, '--turn', '1', '--json'])).json();
    const resumed = await box.run(['session', 'resume', fork.session_id, 'read b.txt', '--json']);
    expect(resumed.json()).toMatchObject({ session_id: fork.session_id, status: 'success' });
    const sessions = (await box.run(['session', 'list', '--json'])).json().sessions as {
      session_id: string;
      turn_count: number;
    }[];
    expect(sessions.map(({ turn_count }) => turn_count)).toEqual([2, 2]);
  });

  it('exports a session, imports it elsewhere, and it can be resumed there', async () => {
    const { box, session_id } = await withSession();
    await using _ = box;
    await using other = await CliSandbox.create({ 'b.txt': 'BETA' });
    const { stdout } = await box.run(['session', 'export', session_id]);
    const imported = (await other.run(['session', 'import', '-', '--json'], { input: stdout })).json();
    const resumed = await other.run([
      'session',
      'resume',
      imported.session_id,
      'read b.txt',
      '--offline',
      '--json',
    ]);
    expect(resumed.json()).toMatchObject({ status: 'success' });
    const bad = await other.run(['session', 'import', '-'], { input: 'not a session\n' });
    expect(bad.code).toBe(1);
    const twice = await other.run(['session', 'import', '-'], { input: stdout });
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('nothing was imported')]);
    await other.run(['session', 'delete', imported.session_id]);
    const { session_id: again } = (await box.run(['run', '--offline', '--json', 'read b.txt'])).json();
    const exported = await box.run(['session', 'export', again]);
    await other.run(['session', 'import', '-'], { input: exported.stdout });
    expect((await other.run(['session', 'list'])).stdout, 'what it was asked').toContain('read b.txt');
  });

  it('says in words which file or folder stands in the way of an export or import', async () => {
    const { box, session_id } = await withSession();
    await using _ = box;
    const said = async (...args: string[]) => {
      const { code, stderr } = await box.run(['session', ...args]);
      return `${code} ${stderr.trim()}`;
    };
    const there = box.folder.resolve('a.txt');
    expect(await said('export', session_id, '-o', 'a.txt')).toBe(
      `1 amplifier: ${there} exists already. Name another file.`,
    );
    expect(await said('export', session_id, '-o', 'no/a.txt')).toMatch(/^1 .*no file or folder .*no.a\.txt/);
    expect(await said('import', 'nothing')).toMatch(/^1 .*no file or folder .*nothing/);
    expect(await said('import', '.')).toMatch(/^2 .*is no home of an amplifierd/);
    expect(await readFile(there, 'utf8')).toBe('ALPHA');
  });

  it('ends like every program whose reader has gone when it exports', async () => {
    const { box, session_id } = await withSession();
    await using _ = box;
    const { code, stderr } = await box.start(['session', 'export', session_id], {
      onStart: ({ stdout }) => stdout?.destroy(),
    });
    expect([code, stderr]).toEqual([141, '']);
  });

  it('takes an imported session as data: folder, rights and modules are those of here and now', async () => {
    await using server = await FakeModelServer.start();
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
    await using away = await CliSandbox.create();
    await using here = await CliSandbox.create();
    const command = `touch ${here.folder.resolve('ran.txt')}`;
    const hook = { module: 'hooks-shell', config: { hooks: [{ event: 'session:start', command }] } };
    await away.home.write('settings.yaml', JSON.stringify({ modules: { hooks: [hook] } }));
    const made = await away.run(['run', '--safety', 'yolo', '--json', '!say One.'], { env });
    await away.run(['session', 'resume', made.json().session_id, '!say Again.'], { env });
    const { stdout } = await away.run(['session', 'export', made.json().session_id]);
    expect(stdout).toContain('hooks-shell');
    expect(stdout, 'what a turn was allowed').toContain('"turn_start"');
    await rm(here.folder.resolve('ran.txt'), { force: true });
    const { session_id } = (await here.run(['session', 'import', '-', '--json'], { input: stdout })).json();
    const write = (file: string) =>
      `!call write_file {"file_path":"${file}","content":"x"}\n!then\n!say Two.`;
    const resume = (...args: string[]) =>
      here.run(['session', 'resume', session_id, ...args, '--json'], { env });
    expect((await resume(write(here.folder.resolve('a.txt')))).json().response).toBe('Two.');
    expect(JSON.stringify(server.exchanges.at(-1)?.body), 'the conversation came along').toContain('One.');
    expect(existsSync(here.folder.resolve('a.txt')), 'nobody named a mode').toBe(false);
    await resume(write('b.txt'), '--safety', 'write');
    expect(existsSync(here.folder.resolve('b.txt')), 'it works in this folder').toBe(true);
    expect(existsSync(here.folder.resolve('ran.txt')), 'its hooks stayed behind').toBe(false);
  });

  it('resumes in a tighter mode when one is named', async () => {
    await using server = await FakeModelServer.start();
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
    await using box = await CliSandbox.create();
    const { session_id } = (await box.run(['run', '--json', '!say One.'], { env })).json();
    const prompt = '!call write_file {"file_path":"a.txt","content":"x"}\n!then\n!say Two.';
    const { stdout } = await box.run(['session', 'resume', session_id, '--safety', 'read_only', prompt], {
      env,
    });
    expect(stdout).toContain('Two.');
    expect(existsSync(box.folder.resolve('a.txt'))).toBe(false);
  });

  it('deletes one session, cleans up the old ones, and says so beforehand', async () => {
    const { box, session_id } = await withSession();
    await using _ = box;
    await box.run(['run', '--offline', 'read a.txt']);
    const early = await box.run(['session', 'restore', session_id]);
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('No session in the trash')]);
    expect((await box.run(['session', 'delete', session_id])).stdout.trim()).toBe(session_id);
    const rest = (await box.run(['session', 'list', '--json'])).json().sessions as unknown[];
    expect(rest).toHaveLength(1);
    const plan = (
      await box.run(['session', 'cleanup', '--days', '0', '--keep', '0', '--dry-run', '--json'])
    ).json();
    expect(plan.session_ids).toHaveLength(1);
    await box.run(['session', 'cleanup', '--days', '0', '--keep', '0']);
    expect((await box.run(['session', 'list', '--json'])).json()).toMatchObject({ sessions: [] });
  });

  it('says what to do about an id that leads nowhere or to several', async () => {
    const { box } = await withSession();
    await using _ = box;
    await box.run(['run', '--offline', 'read a.txt']);
    const nowhere = await box.run(['session', 'show', 'nothing']);
    expect(nowhere.stderr).toContain('amplifier session list --all-projects');
    expect(nowhere.code).toBe(1);
    const several = await box.run(['session', 'show', 'session_']);
    expect(several.stderr).toMatch(/2 sessions begin with session_.*Give more of the id/);
    expect((await box.run(['session', 'show', '../../etc'])).code).toBe(1);
  });

  it('pages through many sessions', async () => {
    const { box } = await withSession();
    await using _ = box;
    await box.run(['run', '--offline', 'read a.txt']);
    const first = (await box.run(['session', 'list', '--json', '-n', '1'])).json();
    const second = (
      await box.run(['session', 'list', '--json', '-n', '1', '--page', String(first.next_cursor)])
    ).json();
    const ids = [first, second].flatMap((page) =>
      (page.sessions as { session_id: string }[]).map(({ session_id }) => session_id),
    );
    expect(new Set(ids).size).toBe(2);
    const { stderr } = await box.run(['session', 'list', '-n', '1', '--all-projects', '--children']);
    expect(stderr).toContain('amplifier session list -n 1 --all-projects --children --page ');
  });
});
