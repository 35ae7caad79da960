import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { TempWorkspace } from '@amplifier/testkit';
import { x } from 'tinyexec';
import { describe, expect, it } from 'vitest';
import { ownEnvironment } from '../scripts/lib/own-environment.mjs';
import { makeSandbox } from '../scripts/lib/sandbox.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('a test', () => {
  it('has a home, settings and a temporary folder of its own', () => {
    const { HOME, TMPDIR, AMPLIFIER_HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = process.env;
    expect(homedir()).toBe(HOME);
    expect(tmpdir()).toBe(TMPDIR);
    expect(HOME).toMatch(/amp-\w+\/home$/);
    for (const place of [AMPLIFIER_HOME, XDG_CONFIG_HOME]) expect(place?.startsWith(`${HOME}/`)).toBe(true);
    expect(GIT_CONFIG_GLOBAL).toBe('/dev/null');
  });

  it('is given nothing that leads to the settings or keys of the person who runs it', async () => {
    await using folder = await TempWorkspace.create();
    const theirs = {
      ...{ HOME: '/home/me', XDG_DATA_HOME: '/home/me/data', AMPLIFIER_AGENT_X: 'x.md', GIT_DIR: '/g' },
      ...{ ANTHROPIC_API_KEY: 'k', GH_TOKEN: 't', PGPASSWORD: 'p', DATABASE_URL: 'd', SSH_AUTH_SOCK: 's' },
    };
    const own = ownEnvironment({ ...theirs, PATH: '/bin', LANG: 'C' }, folder.path);
    expect(own).toMatchObject({ PATH: '/bin', LANG: 'C', HOME: folder.resolve('home') });
    expect(Object.values(own).filter((value) => Object.values(theirs).includes(value))).toEqual([]);
  });
});

const CANARY = '/etc/amplifier-canary';
const sandbox = makeSandbox([]);
if (!sandbox) console.warn('SKIPPED: a test that writes to the system. bubblewrap does not work here.');

describe.runIf(sandbox)('the sandbox around the tests', () => {
  it('fails a test that writes to the system and lists skipped tests, by their names', async () => {
    await using project = await TempWorkspace.create({
      'vitest.config.mjs': `export default {
        test: { reporters: ['default', '${root}scripts/lib/count-reporter.mjs'] },
      };`,
      'canary.test.mjs': `import { writeFileSync } from 'node:fs';
        import { it } from 'vitest';
        it('leaves a mark in the system', () => writeFileSync('${CANARY}', 'x'));
        it('writes where it may', () => writeFileSync(process.env.TMPDIR + '/x', 'x'));
        it.skip('needs what is missing', () => {});`,
    });
    await symlink(`${root}node_modules`, project.resolve('node_modules'));
    const { exitCode, stdout, stderr } = await x(
      process.execPath,
      ['scripts/test.mjs', '--root', project.path],
      {
        nodeOptions: { cwd: root },
      },
    );
    expect(stdout + stderr).toMatch(/leaves a mark in the system.*EROFS/s);
    expect(stderr).toMatch(/skipped: \S*canary\.test\.mjs \(1\)/);
    expect(stdout).toMatch(/^1 passed, 1 failed, 1 skipped$/m);
    expect(exitCode).toBe(1);
    expect(existsSync(CANARY)).toBe(false);
  });
});
