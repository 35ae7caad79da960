import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { TempWorkspace } from '@amplifier/testkit';
import { x } from 'tinyexec';
import { describe, expect, it } from 'vitest';

const INSTALLER = fileURLToPath(new URL('../scripts/lib/debian-packages.mjs', import.meta.url));
const PROGRAM = `import { ensureDebianPackages } from '${INSTALLER}';
console.log('MISSING', (await ensureDebianPackages()).join(' '));`;
/** Writes down how it was called, and "installs" ripgrep only. */
const APT = `#!/bin/sh
echo "$@" >> "$BIN/calls"
printf '#!/bin/sh\\n' > "$BIN/rg"; /bin/chmod +x "$BIN/rg"`;

describe.runIf(process.getuid?.() === 0)('npm test on a machine without the Debian packages', () => {
  it('installs them without a question where there is no terminal', async () => {
    const { output, calls } = await run({});
    expect(calls).toMatch(/install -y .*bubblewrap.* ripgrep tmux/);
    expect(output).not.toContain('?');
    expect(output).toMatch(/MISSING bubblewrap chromium-headless-shell tmux/);
  });

  it('installs them without a question in a terminal with CI=true', async () => {
    const { output, calls } = await run({ terminal: true, CI: 'true' });
    expect(calls).toMatch(/install -y/);
    expect(output).not.toContain('?');
  });

  it('asks in a terminal, and installs after yes', async () => {
    const { output, calls } = await run({ terminal: true, answer: 'y\n' });
    expect(output).toMatch(/Install the Debian packages bubblewrap .*tmux.*\? \[y\/N\]/);
    expect(calls).toMatch(/install -y/);
  });

  it.each([
    ['no', 'n\n'],
    ['only Enter', '\n'],
    ['the end of the input', '\u0004'],
  ])('installs nothing after %s, and names what is missing', async (_, answer) => {
    const { output, calls } = await run({ terminal: true, answer });
    expect(calls).toBe('');
    expect(output).toMatch(/MISSING bubblewrap chromium-headless-shell ripgrep tmux/);
  });
});

interface Situation {
  readonly terminal?: boolean;
  readonly answer?: string;
  readonly CI?: string;
}

async function run({ terminal = false, answer = '', CI = '' }: Situation) {
  await using bin = await TempWorkspace.create({ 'program.mjs': PROGRAM, 'apt-get': APT, calls: '' });
  await x('chmod', ['+x', bin.resolve('apt-get')]);
  const program = [process.execPath, bin.resolve('program.mjs')];
  // script(1) is in every Debian; it gives the program a terminal.
  const [command = '', ...args] = terminal
    ? ['/usr/bin/script', '-qec', program.join(' '), '/dev/null']
    : program;
  const env = { PATH: bin.path, BIN: bin.path, SHELL: '/bin/sh', CI };
  const { stdout, stderr } = await x(command, args, {
    stdin: answer,
    nodePath: false,
    nodeOptions: { env },
  });
  return { output: stdout + stderr, calls: await readFile(bin.resolve('calls'), 'utf8') };
}
