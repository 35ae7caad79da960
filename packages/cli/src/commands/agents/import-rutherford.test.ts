import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const TOML = `
default_safety_mode = "propose"
default_effort = "high"
max_targets = 4
role_dirs = ["roles"]
trusted_workspaces = ["/srv/mine"]

[agents.goose]
default_model = "gpt-5"
handshake_timeout_s = 12

[agents.local-goose]
base = "goose"
backend = "ollama"
model = "qwen3:8b"

[agents.mine]
command = ["my-agent", "acp"]
timeout_s = 60
`;

it('takes a configuration of Rutherford over, says what it leaves to a person, and changes nothing that is there', async () => {
  await using box = await CliSandbox.create({ 'rutherford.toml': TOML });
  await box.home.write('settings.yaml', 'delegation:\n  default_effort: low\n');
  const tried = await box.run(['mcp', 'import-rutherford', '--dry-run', '--json']);
  expect(tried.json(), tried.stderr).toMatchObject({
    dry_run: true,
    kept: ['default_effort'],
    written: expect.arrayContaining(['default_safety_mode', 'agents.goose', 'agents.local-goose']),
  });
  expect(await box.home.read('settings.yaml')).not.toContain('propose');
  const taken = await box.run(['mcp', 'import-rutherford', 'rutherford.toml']);
  expect(taken.code, taken.stderr).toBe(0);
  expect(taken.stdout).toContain('amplifier trust /srv/mine');
  expect(taken.stdout).toContain('max_targets');
  const got = await box.run(['config', 'get', 'delegation', '--json']);
  expect(got.json()).toMatchObject({
    default_safety_mode: 'propose',
    default_effort: 'low',
    role_dirs: [`${box.folder.path}/roles`],
    agents: {
      goose: { default_model: 'gpt-5', handshake_ms: 12_000 },
      'local-goose': { base: 'goose', provider: 'ollama', env: { GOOSE_MODEL: 'qwen3:8b' } },
      mine: { command: ['my-agent', 'acp'], timeout_s: 60 },
    },
  });
  expect(JSON.stringify(got.json())).not.toContain('trusted_workspaces');
  const shown = await box.run(['agent', 'show', 'acp:local-goose', '--json']);
  expect(shown.json()).toMatchObject({ config: { command: ['goose', 'acp'] } });
  await box.folder.write('bad.toml', 'a = = 1');
  const bad = await box.run(['mcp', 'import-rutherford', 'bad.toml']);
  expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('is not TOML') });
});
