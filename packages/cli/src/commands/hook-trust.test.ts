import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../test-support/run-cli.js';

const hook = (command: string, event = 'UserPromptSubmit') =>
  JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] } });

/** By the command: the files it runs, the one that is changed last. */
const PINNED: [string, ...string[]][] = [
  ['"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.sh', '.claude/hooks/x.sh'],
  ['${CLAUDE_PROJECT_DIR}/scripts/x.sh', 'scripts/x.sh'],
  ['"$CLAUDE_PROJECT_DIR/scripts/x.sh"', 'scripts/x.sh'],
  ['$PWD/scripts/x.sh', 'scripts/x.sh'],
  ['sh hook', 'hook'],
  ["sh 'my scripts/x y.sh'", 'my scripts/x y.sh'],
  ['sh "$CLAUDE_PROJECT_DIR"/my\\ scripts/x.sh', 'my scripts/x.sh'],
  ['. ./lib/env.sh; touch_marker', 'lib/env.sh'],
  ['sh scripts/x.sh', 'scripts/x.sh', 'lib/y.sh'],
  ['sh .claude/hooks/x.sh', '.claude/hooks/x.sh', '.claude/hooks/helper'],
  ['npm run check', 'package.json'],
  ['make check', 'Makefile'],
  ['python3 -m tools.check', 'tools/check.py'],
];

async function scene(command: string, files: readonly string[]) {
  const box = await CliSandbox.create({ '.claude/settings.json': hook(command) });
  for (const [at, file] of files.entries())
    await box.folder.write(
      file,
      at === 0 && files.length > 1 ? '. "$CLAUDE_PROJECT_DIR/lib/y.sh"\n' : '{}\n',
    );
  return box;
}

describe('a hook of Claude Code in a trusted folder', () => {
  it.each(PINNED)('asks again when what it runs has changed: %s', async (command, ...files) => {
    await using box = await scene(command, files);
    await box.run(['trust', '--json']);
    const state = async () => (await box.run(['trust', '--list', '--json'])).json();
    expect(await state()).toMatchObject({ state: 'trusted' });
    await box.folder.write(files.at(-1) ?? '', 'touch planted\n');
    expect(await state()).toMatchObject({ state: 'changed' });
    const ran = await box.run(['run', '--offline', 'hello']);
    expect(ran.stderr).toContain('has changed since you trusted it');
    expect(ran.stderr).toContain(files.at(-1));
    expect(existsSync(box.folder.resolve('planted'))).toBe(false);
  });

  it.each([
    ['npm run check'],
    ['make -C sub check'],
    ['python3 -m tools.check'],
    ['sh "$(cat name)"'],
    ['eval "$X"'],
  ])('is shown as something that cannot be pinned: %s', async (command) => {
    await using box = await scene(command, []);
    const { acts } = (await box.run(['trust', '--list', '--json'])).json();
    expect(acts).toContainEqual({
      file: '.claude/settings.json',
      what: `runs something that cannot be pinned: ${command}`,
    });
  });

  it('has no such note for a command that runs only the files it names', async () => {
    await using box = await scene('"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.sh --fast', ['.claude/hooks/x.sh']);
    expect(JSON.stringify((await box.run(['trust', '--list', '--json'])).json().acts)).not.toContain(
      'pinned',
    );
  });

  it('finds its files by ${CLAUDE_PROJECT_DIR}', async () => {
    const command = 'test -n "${CLAUDE_PROJECT_DIR}" && . "${CLAUDE_PROJECT_DIR}"/.claude/hooks/x.sh';
    await using box = await CliSandbox.create({
      '.claude/settings.json': hook(command),
      '.claude/hooks/x.sh': 'touch "${CLAUDE_PROJECT_DIR:-nowhere}/ran"\n',
    });
    await box.run(['trust', '--json']);
    const ran = await box.run(['run', '--offline', '--safety', 'write', 'hello']);
    expect([ran.code, existsSync(box.folder.resolve('ran'))], ran.stderr).toEqual([0, true]);
  });
});
