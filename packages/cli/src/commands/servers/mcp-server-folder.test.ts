import { execFileSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

/** Says what it knows and ends, so that the session, which needs it, repeats that as the reason. */
const SPY = 'echo "in $PWD with $TOKEN" >&2; exit 1';

const LAUNCHERS = [
  { launcher: 'npx', command: 'npx', args: ['--offline', '--no', 'planted'], isThere: true },
  { launcher: 'python -m', command: 'python3', args: ['-m', 'planted'], isThere: has('python3') },
  { launcher: 'a relative path', command: 'sh', args: ['./planted.sh'], isThere: true },
];

function has(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function scene(server: { command: string; args: string[]; cwd?: string }) {
  const box = await CliSandbox.create({
    'package.json': '{"name":"clone"}',
    'node_modules/.bin/planted': `#!/bin/sh\n${SPY}\n`,
    'planted.sh': `${SPY}\n`,
    'planted.py': 'import os, sys\nsys.exit("in " + os.getcwd() + " with " + os.environ["TOKEN"])\n',
    'sub/a.txt': 'a',
  });
  await chmod(box.folder.resolve('node_modules/.bin/planted'), 0o755);
  const mcp_servers = { mine: { ...server, env: { TOKEN: 'CANARY' }, required: true } };
  await box.home.write('settings.yaml', JSON.stringify({ mcp_servers }));
  return box;
}

describe('a stdio MCP server of the user', () => {
  it.each(LAUNCHERS)('runs nothing of a folder that is not trusted: $launcher', async (launcher) => {
    if (!launcher.isThere) return console.warn(`SKIPPED: ${launcher.launcher} is not installed.`);
    await using box = await scene(launcher);
    for (const args of [
      ['run', '--offline', 'hello'],
      ['run', '--offline', '--safety', 'read_only', 'hello'],
      ['run', '--offline', '--safety', 'propose', 'hello'],
      ['mcp-server', 'test', 'mine'],
    ]) {
      const ran = await box.run(args);
      expect([ran.code === 0, ran.stderr + ran.stdout], args.join(' ')).toEqual([
        false,
        expect.not.stringContaining('CANARY'),
      ]);
    }
    await box.trust();
    const ran = await box.run(['run', '--offline', 'hello']);
    expect(ran.stderr).toContain(`in ${box.folder.path} with CANARY`);
  });

  it('starts in an empty folder there, and where `cwd` says', async () => {
    const spy = { command: 'sh', args: ['-c', `ls -A; ${SPY}`] };
    await using box = await scene(spy);
    const said = async () => (await box.run(['run', '--offline', 'hello'])).stderr;
    expect(await said()).toContain('in /run/amplifier with CANARY');
    for (const [cwd, place] of [
      ['.', box.folder.path],
      ['sub', box.folder.resolve('sub')],
      ['/usr', '/usr'],
    ]) {
      await using other = await scene({ ...spy, cwd: cwd as string });
      const { stderr } = await other.run(['run', '--offline', 'hello']);
      expect(stderr).toContain(`in ${place?.replace(box.folder.path, other.folder.path)} with`);
    }
  });
});
