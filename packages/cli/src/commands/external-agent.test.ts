import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chaosAgentCommand } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../test-support/run-cli.js';

const REPOSITORY = resolve(fileURLToPath(import.meta.url), '../../../../..');

async function withExternalAgent(): Promise<CliSandbox> {
  const box = await CliSandbox.create({ 'a.txt': 'ALPHA\n' });
  const chaos = { display_name: 'Chaos', command: chaosAgentCommand(), visible: [REPOSITORY] };
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

  it('that is not on the roster is refused by name', async () => {
    await using box = await withExternalAgent();
    const ran = await box.run(['delegate', 'acp:nobody', '!say Hello.']);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(/nobody/);
  });
});
