import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FakeModelServer } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const CANARY = 'canary-4f1d';
const FILES = [
  '.config/gh/hosts.yml',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  '.pgpass',
  '.cargo/credentials.toml',
  '.netrc',
  '.kube/config',
  '.mozilla/firefox/cookies.sqlite',
  '.local/share/keyrings/login.keyring',
  '.databrickscfg',
  '.bash_history',
  '.cache/huggingface/token',
  '.config/sops/age/keys.txt',
  '.m2/settings-security.xml',
  '.config/Cursor/User/globalStorage/state.vscdb',
  '.gem/credentials',
  'moved/kubeconfig',
];
const VARIABLES = [
  'PGPASSWORD',
  'DATABASE_URL',
  'GH_PAT',
  'OPENAI_KEY',
  'AWS_ACCESS_KEY_ID',
  'SOMETHING_ELSE',
];

it('keeps secret files and variables from commands, also when the session works in the home folder and moves things', async () => {
  await using server = await FakeModelServer.start();
  await using box = await CliSandbox.create();
  const home = box.folder.path;
  await box.home.write(
    'settings.yaml',
    `config:\n  providers:\n    - module: provider-openai-compatible\n      config:\n        base_url: ${server.url}/v1\n        default_model: fake-1\n`,
  );
  for (const file of FILES) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), CANARY);
  }
  const lines = [
    'env; set; echo ran',
    'mv .config c1; mv .claude c2; mv .codex c3; mv .gemini c4; mv .cargo c5; mv .local c6; mv .local/share c7; mv moved c8; true',
    'grep -r canary . ; cat .pgpass .netrc .kube/config; echo ran',
  ];
  const calls = lines.map((command) => `!call bash ${JSON.stringify({ command })}`);
  const { code, stdout, stderr } = await box.run(['run', '--safety', 'write', calls.join('\n!then\n')], {
    env: {
      HOME: home,
      KUBECONFIG: join(home, 'moved/kubeconfig'),
      ...Object.fromEntries(VARIABLES.map((name) => [name, CANARY])),
    },
  });
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  const told = JSON.stringify(server.exchanges.at(-1)?.body);
  expect(told.match(/ran/g)?.length).toBeGreaterThanOrEqual(4);
  // Only the words of the command itself.
  expect(told).not.toContain(CANARY);
  for (const file of FILES) expect(existsSync(join(home, file))).toBe(true);
});
