import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { detectSandbox } from '@amplifier/host';
import { FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const sandbox = await detectSandbox();
const works = sandbox.name !== 'none';
if (!works) console.warn(`SKIPPED: programs that a session planted. ${sandbox.because}`);

const PROGRAMS = ['bwrap', 'git', 'rg', 'perl', 'sh'];

/** A folder with programs that note outside of it who was run. */
async function scene(folder: string) {
  const box = await CliSandbox.create({ 'a.txt': 'hello\n' });
  for (const name of PROGRAMS) {
    await box.folder.write(
      `${folder}/${name}`,
      `#!/bin/bash\necho ${name} >> '${box.home.resolve('marker')}'\n`,
    );
    await chmod(box.folder.resolve(folder, name), 0o755);
  }
  const ran = () => existsSync(box.home.resolve('marker'));
  return { box, ran, [Symbol.asyncDispose]: () => box[Symbol.asyncDispose]() };
}

describe.runIf(works)('a program that a session put into its folder', () => {
  it.each([
    { where: 'an active virtual environment', folder: '.venv/bin', entry: null },
    { where: 'the packages of the folder', folder: 'node_modules/.bin', entry: null },
    { where: 'a relative entry of the search path', folder: 'bin', entry: './bin' },
    { where: 'an empty entry of the search path', folder: '.', entry: '' },
  ])('is not run outside the sandbox: $where', async ({ folder, entry }) => {
    await using server = await FakeModelServer.start();
    await using at = await scene(folder);
    const { box } = at;
    await box.run(['trust', '--json']);
    const calls = [
      ['bash', { command: 'echo inside > b.txt' }],
      ['grep', { pattern: 'hello' }],
    ].map(([name, input]) => `!call ${name} ${JSON.stringify(input)}`);
    const task = `${calls.join('\n!then\n')}\n!then\n!say Done.`;
    const ran = await box.start(['run', '--json', '--safety', 'write', task], {
      env: {
        PATH: [entry ?? box.folder.resolve(folder), process.env.PATH].join(delimiter),
        ANTHROPIC_API_KEY: 'k',
        ANTHROPIC_BASE_URL: `${server.url}/v1`,
      },
    });
    expect([ran.code, at.ran()], ran.stderr).toEqual([0, false]);
    expect(existsSync(box.folder.resolve('b.txt'))).toBe(true);
  });

  it('is not run outside the sandbox because of the variables of an MCP server', async () => {
    await using at = await scene('bin');
    const { box } = at;
    const env = { PATH: `${box.folder.resolve('bin')}:/usr/bin:/bin` };
    const server = { command: '/bin/sh', args: ['-c', 'echo started >&2; exit 1'], env, required: true };
    await box.home.write('settings.yaml', JSON.stringify({ mcp_servers: { mine: server } }));
    const ran = await box.run(['run', '--offline', 'hello']);
    expect([ran.stderr, at.ran()]).toEqual([expect.stringContaining('started'), false]);
  });
});
