import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const docs = (name: string) =>
  readFile(fileURLToPath(new URL(`../../../../../docs/${name}`, import.meta.url)), 'utf8');

it('docs/cli.md is what the program says of itself', async () => {
  await using box = await CliSandbox.create();
  const { stdout } = await box.run(['reference']);
  expect(await docs('cli.md')).toBe(stdout);
});

it('help is there for every command, with the same words', async () => {
  await using box = await CliSandbox.create();
  const reference = await docs('cli.md');
  for (const command of [['run'], ['session', 'resume'], ['delegate']]) {
    expect(reference).toContain(`## amplifier ${command.join(' ')}\n`);
    const { stdout, code } = await box.run([...command, '--help']);
    expect(stdout).toContain('Usage: amplifier');
    expect(code).toBe(0);
  }
});
