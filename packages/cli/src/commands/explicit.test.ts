import { FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../test-support/run-cli.js';

const provider = (id: string, url: string, extra = '') =>
  `    - module: provider-openai-compatible\n      id: ${id}\n      config: { base_url: "${url}/v1", default_model: ${id}-1, max_retries: 0${extra} }\n`;

/** Two providers; the first fails with a status, the second answers. */
async function twoProviders(status: number) {
  const broken = await FakeModelServer.start({ script: () => ({ fail: { status, message: 'not today' } }) });
  const working = await FakeModelServer.start();
  const box = await CliSandbox.create();
  await box.home.write(
    'settings.yaml',
    `config:\n  providers:\n${provider('first', broken.url, ', priority: 1')}${provider('second', working.url, ', priority: 2')}`,
  );
  return {
    box,
    working,
    [Symbol.asyncDispose]: async () => {
      await broken[Symbol.asyncDispose]();
      await working[Symbol.asyncDispose]();
      await box[Symbol.asyncDispose]();
    },
  };
}

describe('a provider or model that was named', () => {
  it('is not replaced: the error names it, its status and what to do', async () => {
    await using two = await twoProviders(401);
    const ran = await two.box.run(['run', '-p', 'first', '!say Hello.']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('first (openai-compatible) answered 401: not today');
    expect(ran.stderr).toContain('amplifier provider test first');
    expect(two.working.exchanges).toHaveLength(0);
  });

  it('is replaced when --fallback is said, and that is announced on screen and in JSON', async () => {
    await using two = await twoProviders(503);
    const args = ['run', '-p', 'first', '--fallback', '!say Hello.'];
    const ran = await two.box.run(args);
    expect(ran.stdout).toBe('Hello.\n');
    expect(ran.stderr).toContain('first/first-1 failed (openai-compatible answered 503: not today)');
    expect(ran.stderr).toContain('second/second-1 takes over');
    const { provider_routing } = (await two.box.run([...args, '--json'])).json();
    expect(provider_routing).toMatchObject({
      fallbacks: [{ from: { provider: 'first' }, to: { provider: 'second' } }],
    });
  });

  it('follows the providers of the settings when none was named, and says so', async () => {
    await using two = await twoProviders(503);
    const ran = await two.box.run(['run', '!say Hello.']);
    expect(ran.stdout).toBe('Hello.\n');
    expect(ran.stderr).toContain('takes over');
  });
});

describe('what cannot be loaded', () => {
  const SETTINGS = 'modules:\n  hooks:\n    - module: hooks-nowhere\n';

  it('is a warning at the start, an error with --strict, and red in doctor', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
    await box.home.write('settings.yaml', SETTINGS);
    const ran = await box.run(['run', '--offline', 'read a.txt']);
    expect(ran.stderr).toMatch(/warning: hooks-nowhere \(hooks\) is left out/);
    expect(ran.code).toBe(0);
    const strict = await box.run(['run', '--offline', '--strict', 'read a.txt']);
    expect(strict.stderr).toContain('run without --strict');
    expect(strict.stdout).toBe('');
    expect(strict.code).toBe(1);
    expect((await box.run(['doctor'])).stdout).toMatch(/✗ modules: hooks-nowhere/);
  });

  it('is refused where it is written: in agents and in settings', async () => {
    await using box = await CliSandbox.create({
      '.amplifier/agents/a.md':
        '---\nname: a\ndescription: x\nmodel_role: codng\ntools: [tool-filesytem]\n---\nYou are a.\n',
    });
    await box.trust();
    const checked = await box.run(['agent', 'validate', '.amplifier/agents/a.md']);
    expect(checked.stdout).toContain("Did you mean 'tool-filesystem'?");
    expect(checked.stdout).toContain("Did you mean 'coding'?");
    expect(checked.code).toBe(1);
    for (const [key, value, guess] of [
      ['bundle.active', 'foundatio', "'foundation'"],
      ['routing.matrix', 'balancd', "'balanced'"],
      ['bundel.active', 'foundation', "'bundle'"],
    ] as const) {
      const set = await box.run(['config', 'set', key, value]);
      expect(set.stderr).toContain(`Did you mean ${guess}?`);
      expect(set.code).toBe(2);
    }
  });

  it('stores no key of a setting that is refused', async () => {
    await using box = await CliSandbox.create();
    await box.home.write('settings.yaml', 'config:\n  providers: []\n');
    const set = await box.run(['config', 'set', 'config.providers', '{ api_key: sk-secret }']);
    expect(set.code).not.toBe(0);
    await expect(box.home.read('keys.env')).rejects.toThrow('ENOENT');
  });

  it('says what hides a setting that was written', async () => {
    await using box = await CliSandbox.create({
      '.amplifier/settings.yaml': 'routing:\n  matrix: quality\n',
    });
    await box.trust();
    const used = await box.run(['routing', 'use', 'balanced', '--user']);
    expect(used.stderr).toMatch(/does not take effect here: .*settings\.yaml says "quality"/);
  });
});

it('serves every role with the one model there is, and says why', async () => {
  await using server = await FakeModelServer.start();
  await using box = await CliSandbox.create();
  await box.home.write('settings.yaml', `config:\n  providers:\n${provider('mine', server.url)}`);
  const { roles } = (await box.run(['routing', 'show', '--json'])).json() as unknown as {
    roles: { role: string; model: string; because: string }[];
  };
  for (const { model, because } of roles) {
    expect(model).toBe('mine/mine-1');
    expect(because).toContain('not available');
  }
  expect((await box.run(['run', '--role', 'fast', '!say Quick.'])).stdout).toBe('Quick.\n');
});

describe('lists', () => {
  it('show what can be used, whole lines in a pipe, and the rest with --all', async () => {
    await using box = await CliSandbox.create();
    const few = await box.run(['agent', 'list']);
    const all = await box.run(['agent', 'list', '--all']);
    expect(few.stdout).not.toContain('not installed');
    expect(few.stderr).toContain('--all');
    expect(all.stdout).toContain('not installed');
    expect(few.stdout).not.toContain('…');
  });

  it('tell forks and what was delegated from the shell, and delete names real flags; restore brings back', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
    await box.run(['delegate', 'explorer', '--offline', 'read a.txt']);
    const [holder] = (await box.run(['session', 'list', '--json'])).json().sessions as {
      session_id: string;
      about: string;
    }[];
    expect(holder?.about).toBe('delegate explorer: read a.txt');
    const { session_id } = (await box.run(['run', '--offline', '--json', 'read a.txt'])).json();
    await box.run(['session', 'fork', session_id]);
    expect((await box.run(['session', 'list'])).stdout).toMatch(/fork of \w+: read a\.txt/);
    const refused = await box.run(['session', 'delete', holder?.session_id ?? '']);
    expect(refused.stderr).toContain('--children');
    const root = holder?.session_id ?? '';
    await box.run(['session', 'delete', root, '--children']);
    expect((await box.run(['session', 'show', root])).code).toBe(1);
    expect((await box.run(['session', 'list', '--deleted'])).stdout).toContain(root.replace('session_', ''));
    const back = await box.run(['session', 'restore', root.slice(8, 24), '--json']);
    expect(back.json().restored).toHaveLength(2);
    expect((await box.run(['session', 'tree', root])).stdout).toMatch(/└─ explorer {2}completed/);
    const again = await box.run(['run', '--offline', '--continue', '--json', 'glob *.txt']);
    expect(again.code).toBe(0);
    expect(again.json().session_id).not.toBe(holder?.session_id);
  });

  it('say that an external agent is not installed before anything is asked', async () => {
    await using box = await CliSandbox.create();
    const { stderr, code } = await box.run(['run', '--agent', 'acp:goose', 'x'], {
      env: { PATH: '/nonexistent' },
    });
    expect(stderr).toContain('is not installed');
    expect(code).toBe(1);
  });
});
