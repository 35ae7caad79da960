import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, runProfile, script } from '../../test-support/run-profile.js';
import { serverCommands } from '../commands/server-commands.js';
import { daemonHome } from '../config.js';

/** A module that notes that it was loaded, and mounts nothing. */
const writes = (marker: string, word: string) =>
  `import { appendFileSync } from 'node:fs';\nappendFileSync(${JSON.stringify(marker)}, '${word} ');\n`;
const MOUNT = 'export const mount = () => {};\n';

/** A deployment whose operator names a module in a folder that sessions write. */
async function scene() {
  const marker = await TempWorkspace.create({});
  const environment: Record<string, string> = {};
  const bench = await RunBench.start({}, environment);
  const work = (path: string) => bench.daemon.workspace.resolve('work', path);
  const file = marker.resolve('loaded');
  await bench.daemon.workspace.write('work/tool.mjs', `import 'dep';\n${writes(file, 'tool')}${MOUNT}`);
  await bench.daemon.workspace.write(
    'work/node_modules/dep/package.json',
    '{"name":"dep","type":"module","main":"i.js"}',
  );
  await bench.daemon.workspace.write('work/node_modules/dep/i.js', writes(file, 'dep'));
  environment.AMPLIFIER_MODULE_TOOL_X = work('tool.mjs');
  await bench.restart();
  const manifest = runProfile(bench.model.url)
    .replace('name: worker', 'name: bold')
    .replace('  - module: tool-delegate', '  - module: tool-bash\n  - module: tool-x')
    .replace('hooks:\n  - module: hooks-approval\n', '');
  const made = await bench.daemon.post('/api/v1/profiles', { name: 'bold', manifest });
  expect(made.status, made.text).toBe(201);
  const run = async (...calls: string[]) => {
    const id = await bench.session({ profile_id: 'local/bold' });
    const order = { instruction: script(...calls, '!say Done.'), wait: 60 };
    return bench.daemon.post(`/api/v1/sessions/${id}/runs`, order);
  };
  /** What was loaded since the last time. */
  const loaded = async () => {
    const words = await readFile(file, 'utf8').catch(() => '');
    if (existsSync(file)) await writeFile(file, '');
    return words.trim();
  };
  const trust = async (agree: boolean | null) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const home = daemonHome({ AMPLIFIERD_HOME: bench.daemon.home });
    const program = { home, environment: { ...process.env, ...environment }, print, say: print };
    const code = await serverCommands.trust(program, agree === null ? null : async () => agree);
    return { code, lines };
  };
  return {
    ...{ bench, environment, work, run, loaded, trust },
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      await marker[Symbol.asyncDispose]();
    },
  };
}

describe('a module that the operator names in a folder where sessions write', () => {
  it.each([
    { what: 'the module', file: 'tool.mjs' },
    { what: 'a package that it imports', file: 'node_modules/dep/i.js' },
  ])('is not loaded after a session changed $what, until the operator agrees', async ({ file }) => {
    await using at = await scene();
    const content = `globalThis.planted = 1;\n${await readFile(at.work(file), 'utf8')}`.replace(
      /'(tool|dep) '/,
      "'planted '",
    );
    const first = await at.run(call('write_file', { file_path: file, content }));
    expect([first.body.status, first.body.error], first.text).toEqual(['completed', null]);
    expect(await at.loaded()).toBe('dep tool');
    expect(await readFile(at.work(file), 'utf8')).toContain('planted');

    // What this process has loaded stays as it is.
    await at.run();
    expect(await at.loaded()).toBe('');
    await at.bench.restart();
    const second = await at.run();
    expect(await at.loaded(), second.text).toBe('');
    const log = at.bench.daemon.log.join('');
    expect(second.text + log).toContain('has changed since it was trusted');
    expect(second.text + log).toContain('amplifierd trust');

    expect(await at.trust(null)).toEqual({
      code: 1,
      lines: [`changed, loaded by tool-x: ${at.work(file)}`],
    });
    expect((await at.trust(false)).code).toBe(1);
    await at.run();
    expect(await at.loaded()).toBe('');

    expect((await at.trust(true)).code).toBe(0);
    await at.run();
    expect(await at.loaded()).toContain('planted');
    expect(await at.trust(null)).toMatchObject({ code: 0 });
  });

  it('is loaded from a repository as it was committed at first, until the operator agrees', async () => {
    await using at = await scene();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: at.work('.'),
      });
    await writeFile(
      at.work('tool.mjs'),
      (await readFile(at.work('tool.mjs'), 'utf8')).replace("import 'dep';", ''),
    );
    git('init', '-q', '-b', 'main');
    git('add', 'tool.mjs');
    git('commit', '-qm', 'one');
    at.environment.AMPLIFIER_MODULE_TOOL_X = `git+file://${at.work('.')}@main#subdirectory=tool.mjs`;
    await at.bench.restart();
    await at.run();
    expect(await at.loaded()).toBe('tool');
    const content = (await readFile(at.work('tool.mjs'), 'utf8')).replace("'tool '", "'planted '");
    await writeFile(at.work('tool.mjs'), content);
    git('commit', '-qam', 'two');
    expect((await at.trust(null)).lines.join()).toContain('No module has changed');
    await forgetCheck(at.bench.daemon.home);
    const shown = await at.trust(null);
    expect(shown.code).toBe(1);
    expect(shown.lines.join('\n')).toMatch(/changed, is at revision \w{12}: git\+file:/);
    expect((await at.trust(true)).code).toBe(0);
    expect((await at.trust(null)).lines.join()).toContain('No module has changed');
  });
});

it('starts an MCP server of a profile outside of a folder that the operator does not trust', async () => {
  await using bench = await RunBench.start();
  const flags = { runs: { trust_working_dir: false, safety_mode: 'read_only' } } as const;
  await bench.restart(flags as never);
  const server = { command: 'sh', args: ['-c', 'echo "in $PWD" >&2; exit 1'] };
  const manifest = runProfile(bench.model.url)
    .replace('name: worker', 'name: served')
    .replace(
      '  - module: tool-delegate',
      `  - { module: tool-mcp, config: { servers: { mine: ${JSON.stringify(server)} } } }`,
    );
  await bench.daemon.post('/api/v1/profiles', { name: 'served', manifest });
  const id = await bench.session({ profile_id: 'local/served' });
  await bench.daemon.post(`/api/v1/sessions/${id}/runs`, { instruction: '!say Done.', wait: 60 });
  expect(bench.daemon.log.join('')).toContain('in /run/amplifier');
});

/** A repository is asked for its revision again only after a while. */
async function forgetCheck(home: string): Promise<void> {
  const all = await readdir(home, { recursive: true });
  for (const file of all.filter((name) => /seen\/\w+\.json$/.test(name))) {
    const seen = JSON.parse(await readFile(join(home, file), 'utf8'));
    const checked_at = new Date(0).toISOString();
    await writeFile(join(home, file), JSON.stringify({ ...seen, checked_at }));
  }
}
