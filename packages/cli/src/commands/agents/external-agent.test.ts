import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chaosAgentCommand, FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const REPOSITORY = resolve(fileURLToPath(import.meta.url), '../../../../../..');

async function withExternalAgent(): Promise<CliSandbox> {
  const carrier = '---\nname: carrier\ndescription: Carries.\nengine: acp:chaos\n---\n!say Carried: \n';
  const box = await CliSandbox.create({ 'a.txt': 'ALPHA\n' });
  await box.home.write('agents/carrier.md', carrier);
  const command = chaosAgentCommand('--models', 'small,large');
  const chaos = { display_name: 'Chaos', command, visible: [REPOSITORY] };
  await box.home.write('settings.yaml', JSON.stringify({ delegation: { agents: { chaos } } }));
  return box;
}

describe('an external agent from the shell', () => {
  it('takes a task like any other agent, without a model of ours, and can be resumed', async () => {
    await using box = await withExternalAgent();
    const ran = await box.run(['delegate', 'acp:chaos', '!say Hello.', '--safety', 'read_only', '--json']);
    expect(ran.json(), ran.stderr).toMatchObject({ agent: 'acp:chaos', status: 'success' });
    expect(ran.json().response).toBe('Hello.');
    const { session_id } = ran.json();
    const again = await box.run(['session', 'resume', session_id, '!say Once more.', '--json']);
    expect(again.json(), again.stderr).toMatchObject({ session_id, status: 'success' });
  });

  it('has variables and the folder of a terminal judged by the permission rules', async () => {
    await using box = await withExternalAgent();
    const chaos = { command: chaosAgentCommand(), visible: [REPOSITORY] };
    const permissions = { deny: ['bash: touch *'], allow: ['bash: git status *'] };
    await box.home.write('settings.yaml', JSON.stringify({ delegation: { agents: { chaos } }, permissions }));
    const run = async (request: object) => {
      const task = `!terminal_request ${JSON.stringify(request)}`;
      const ran = await box.run(['delegate', 'acp:chaos', task, '--safety', 'read_only', '--json']);
      return String(ran.json().response);
    };
    const env = (...pairs: string[][]) => pairs.map(([name, value]) => ({ name, value }));
    const fsmonitor = env(
      ['GIT_CONFIG_COUNT', '1'],
      ['GIT_CONFIG_KEY_0', 'core.fsmonitor'],
      ['GIT_CONFIG_VALUE_0', 'touch made; echo RAN >&2; false'],
    );
    const git = { command: 'git', args: ['status'] };
    expect(await run({ ...git, env: fsmonitor })).toMatch(/^refused: .*touch \*.* may cover this command/);
    expect(await run({ ...git, env: env(['LD_PRELOAD', './made.so']) })).toMatch(/^refused: .*may cover/);
    expect(await run({ ...git, env: env(['A=1;touch made', '']) })).toMatch(
      /^refused: .*not the name of a variable/,
    );
    expect(await run({ command: 'touch', args: ['made'], cwd: '/tmp', env: env(['A', '1']) })).toMatch(
      /^refused: .*touch \*/,
    );
    expect(await run({ command: 'echo', args: ['A=1', 'x y'], env: env(['A', "it's"]) })).toBe(
      'exit 0: A=1 x y.',
    );
  });

  it('is connected to by doctor, which says version, models and whether a login is wanted', async () => {
    await using box = await withExternalAgent();
    const stranger = { command: chaosAgentCommand('--needs-login'), visible: [REPOSITORY], login: 'log in' };
    const chaos = { command: chaosAgentCommand('--models', 'small,large'), visible: [REPOSITORY] };
    await box.home.write('settings.yaml', JSON.stringify({ delegation: { agents: { chaos, stranger } } }));
    const told = await box.run(['doctor', '--json']);
    const { checks } = told.json() as unknown as { checks: Record<string, unknown>[] };
    const named = (name: string) => checks.find((check) => check.name === `coding agent ${name}`);
    expect(named('chaos'), told.stderr).toMatchObject({
      state: 'ok',
      connection: { status: 'ready', version: '1.0.0', models: ['small', 'large'] },
    });
    expect(named('stranger')).toMatchObject({ state: 'missing', fix: 'log in' });
    expect(told.stderr).toMatch(/Connecting to .*chaos/);
    const one = await box.run(['doctor', '--agent', 'acp:chaos', '--timeout', '20']);
    expect(one.stdout).toMatch(/coding agent chaos: connected in .*offers small, large/);
    const unknown = await box.run(['doctor', '--agent', 'nobody']);
    expect(unknown).toMatchObject({ code: 2 });
  });

  it('stands in the list beside the others, installed or not, and can be looked at', async () => {
    await using box = await withExternalAgent();
    const listed = await box.run(['agent', 'list', '--json']);
    const { agents } = listed.json() as unknown as { agents: Record<string, unknown>[] };
    const named = (name: string) => agents.find((agent) => agent.name === name);
    expect(named('acp:chaos'), listed.stderr).toMatchObject({ source: 'acp', installed: true });
    expect(named('acp:kiro')).toMatchObject({ source: 'acp', installed: false });
    expect(agents.filter(({ source }) => source === 'acp')).toHaveLength(21);
    expect(named('explorer')).toBeDefined();
    const shown = await box.run(['agent', 'show', 'acp:kiro']);
    expect(shown.stdout).toContain('# source: acp');
    expect(shown.stdout).toContain('kiro-cli');
    expect(shown.stderr).toContain('not installed');
    const chaos = await box.run(['agent', 'show', 'acp:chaos', '--json']);
    expect(chaos.json()).toMatchObject({ installed: true, config: { display_name: 'Chaos' } });
  });

  it('is answered for its own session and announced sub-agents only', async () => {
    await using box = await withExternalAgent();
    await box.trust();
    const ask = ['!ask edit a.txt', '!fs_read a.txt', '!fs_write b.txt new', '!terminal cat a.txt'];
    const play = async (named: string[]) => {
      const task = [...named, ...ask, '!say Done.'].join('\n');
      const ran = await box.run(['delegate', 'acp:chaos', task, '--json']);
      expect(ran.json(), ran.stderr).toMatchObject({ status: 'success' });
      return ran.json().response;
    };
    const refusal = 'refused: Invalid params: the session "session-of-another" is not the one of this turn. ';
    expect(await play(['!as session-of-another'])).toBe(`${refusal.repeat(4)}Done.`);
    expect(existsSync(box.folder.resolve('b.txt'))).toBe(false);
    const own = /^\[allow\]ALPHA\s+wrote b\.txt\. exit 0: ALPHA\. Done\.$/;
    expect(await play([])).toMatch(own);
    expect(await play(['!subagent new helper Looked.', '!as helper'])).toMatch(own);
  });

  it('leaves files that other programs act on to a person, and applies ordinary ones', async () => {
    await using box = await withExternalAgent();
    await box.trust();
    const play = (task: string) => box.run(['delegate', 'acp:chaos', `${task}\n!say Done.`, '--json']);
    const ordinary = await play('!write bin/tool new\n!write .editorconfig new');
    expect(ordinary.json(), ordinary.stderr).toMatchObject({ status: 'success' });
    expect(await box.folder.read('bin/tool')).toBe('new\n');
    const acting = await play('!write b.txt new\n!write sub/.envrc new');
    expect(acting.json(), acting.stderr).toMatchObject({
      error: { code: 'PROPOSAL_ACTS_LATER', message: expect.stringContaining('sub/.envrc') },
    });
    expect(existsSync(box.folder.resolve('b.txt'))).toBe(false);
    const free = await box.run(['delegate', 'acp:chaos', '!write .envrc new', '--safety', 'yolo', '--json']);
    expect(free.json(), free.stderr).toMatchObject({ status: 'success' });
  });

  it('changes files only in a folder that is trusted, and says how to trust one', async () => {
    await using box = await withExternalAgent();
    for (const command of [
      ['delegate', 'acp:chaos', '!write b.txt new'],
      ['run', '--agent', 'acp:chaos', '!write b.txt new'],
      ['run', '--agent', 'carrier', '--safety', 'yolo', '!write b.txt new'],
    ]) {
      const refused = await box.run([...command, '--json']);
      expect(refused.code).toBe(1);
      expect(refused.json()).toMatchObject({ error: { code: 'WORKSPACE_NOT_TRUSTED' } });
      expect(refused.stdout).toContain(`amplifier trust ${box.folder.path}`);
    }
    const proposed = await box.run([
      'delegate',
      'acp:chaos',
      '!write b.txt new',
      '--safety',
      'propose',
      '--json',
    ]);
    expect(proposed.json(), proposed.stderr).toMatchObject({ status: 'success' });
    expect(existsSync(box.folder.resolve('b.txt'))).toBe(false);
    await box.run(['trust']);
    const ran = await box.run(['delegate', 'acp:chaos', '!write b.txt new', '--json']);
    expect(ran.json(), ran.stderr).toMatchObject({ status: 'success' });
    expect(await box.folder.read('b.txt')).toBe('new\n');
    await box.run(['untrust']);
    const again = await box.run(['session', 'resume', ran.json().session_id, '!say More.', '--json']);
    expect(again.json()).toMatchObject({ error: { code: 'WORKSPACE_NOT_TRUSTED' } });
  });

  it('that a model delegates to only reads until the folder is trusted', async () => {
    await using box = await withExternalAgent();
    await using model = await FakeModelServer.start();
    const env = { ANTHROPIC_API_KEY: 'key-of-a-test', ANTHROPIC_BASE_URL: `${model.url}/v1` };
    const call = { agent: 'acp:chaos', context_depth: 'none', instruction: '!write b.txt new' };
    const prompt = `!call delegate ${JSON.stringify(call)}\n!then\n!say Over.`;
    const told = () => JSON.stringify(model.exchanges.at(-1)?.body);
    const ran = await box.run(['run', prompt, '--json'], { env });
    expect(ran.json(), ran.stderr).toMatchObject({ status: 'success', response: 'Over.' });
    expect(told()).toContain('could only read');
    expect(existsSync(box.folder.resolve('b.txt'))).toBe(false);
    await box.run(['trust']);
    const again = await box.run(['run', prompt, '--json'], { env });
    expect(again.json(), again.stderr).toMatchObject({ status: 'success' });
    expect(told()).not.toContain('could only read');
    expect(await box.folder.read('b.txt')).toBe('new\n');
  });

  it('runs a Markdown agent that names it as its engine, with the text of the agent before the task', async () => {
    await using box = await withExternalAgent();
    const told = await box.run(['run', '--agent', 'carrier', '--safety', 'read_only', '--json', '!say it.']);
    expect(told.json(), told.stderr).toMatchObject({ status: 'success', agent: 'carrier' });
    expect(told.json().response).toMatch(/^Carried:\s*it\.$/);
    const again = await box.run(['delegate', 'carrier', '--safety', 'read_only', '--json', '!about']);
    expect(again.json(), again.stderr).toMatchObject({ status: 'success' });
    expect(again.json().response).toContain('--models');
  });

  it('takes the model that is asked for, and refuses one it does not have', async () => {
    await using box = await withExternalAgent();
    const chosen = await box.run([
      'run',
      '-a',
      'acp:chaos',
      '-m',
      'large',
      '--safety',
      'read_only',
      '--json',
      '!about',
    ]);
    expect(chosen.json().response, chosen.stderr).toContain('"model":"large"');
    const child = await box.run([
      'delegate',
      'acp:chaos',
      '-m',
      'large',
      '--safety',
      'read_only',
      '--json',
      '!about',
    ]);
    expect(child.json().response, child.stderr).toContain('"model":"large"');
    const refused = await box.run([
      'run',
      '-a',
      'acp:chaos',
      '-m',
      'huge',
      '--safety',
      'read_only',
      '--json',
      '!about',
    ]);
    expect(refused.json()).toMatchObject({ status: 'error', error: { code: 'MODEL_UNAVAILABLE' } });
  });

  it('that is not on the roster is refused by name', async () => {
    await using box = await withExternalAgent();
    const ran = await box.run(['delegate', 'acp:nobody', '!say Hello.']);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(/nobody/);
  });
});
