import { readFile, rm } from 'node:fs/promises';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { Host } from './host.js';
import { openProject } from './open-project.js';

it('keeps a million characters of an answer, and says where the rest is', async () => {
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
  try {
    const rest = await readFile(file, 'utf8');
    expect([rest.length, rest.slice(-4)]).toEqual([2_000_000, ' end']);
  } finally {
    await rm(file, { force: true });
  }
  const [, answer] = await host.store.messages(outcome.session_id);
  expect(JSON.stringify(answer).length).toBeLessThan(1_002_000);
});
