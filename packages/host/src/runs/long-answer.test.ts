import { readFile } from 'node:fs/promises';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { Host } from '../host.js';
import { openProject } from '../project/open-project.js';

it('keeps a million characters of an answer, says where the rest is, and removes the rest with the session', async () => {
  await using server = await FakeModelServer.start({
    script: () => ({ text: `${'x'.repeat(2_999_996)} end` }),
  });
  await using folder = await TempWorkspace.create();
  await using home = await TempWorkspace.create({
    'settings.yaml': `config:\n  providers:\n    - module: provider-openai-compatible\n      config: { base_url: "${server.url}/v1", default_model: fake-1 }\n`,
  });
  const project = await openProject({ cwd: folder.path, environment: { AMPLIFIER_HOME: home.path } });
  await using host = await Host.open(project);
  const { outcome } = await host.run({ instruction: 'Go.', safety_mode: 'read_only', trusted: true });
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
  expect(outcome.text.length).toBeLessThan(1_001_000);
  const [, file = ''] = /2000000 more were said\. They are in (\S+)\.\]$/.exec(outcome.text) ?? [];
  const rest = await readFile(file, 'utf8');
  expect([rest.length, rest.slice(-4)]).toEqual([2_000_000, ' end']);
  expect(file.startsWith(home.path)).toBe(true);
  const [, answer] = await host.store.messages(outcome.session_id);
  expect(JSON.stringify(answer).length).toBeLessThan(1_002_000);
  await host.store.delete(outcome.session_id, { force: true });
  await host.store.emptyTrash(0);
  await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
});
