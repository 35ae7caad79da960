import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

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

  /** By what the script loads: the command, the files, and the one that is changed. */
  const LOADED: { what: string; command: string; files: Record<string, string>; change: string }[] = [
    {
      what: 'a package that a module imports',
      command: 'node "$CLAUDE_PROJECT_DIR"/hooks/x.mjs',
      files: {
        'hooks/x.mjs': "import 'dep';\n",
        'node_modules/dep/package.json': '{"name":"dep","type":"module","main":"i.js"}',
        'node_modules/dep/i.js': '',
      },
      change: 'node_modules/dep/i.js',
    },
    {
      what: 'a package of a package, through the first line of a file',
      command: './hooks/x',
      files: {
        'hooks/x': "#!/usr/bin/env node\nrequire('dep');\n",
        'node_modules/dep/package.json': '{"name":"dep","main":"i.js"}',
        'node_modules/dep/i.js': "require('deep');\n",
        'node_modules/deep/package.json': '{"name":"deep","main":"i.js"}',
        'node_modules/deep/i.js': '',
      },
      change: 'node_modules/deep/i.js',
    },
    {
      what: 'a file of its own without an ending',
      command: 'node hooks/x.cjs',
      files: { 'hooks/x.cjs': "require('./lib');\n", 'hooks/lib.js': '' },
      change: 'hooks/lib.js',
    },
    {
      what: 'a package of a script that a shell starts',
      command: 'sh .claude/hooks/x.sh',
      files: {
        '.claude/hooks/x.sh': 'node tools/y.mjs\n',
        'tools/y.mjs': "import 'dep';\n",
        'node_modules/dep/package.json': '{"name":"dep","type":"module","main":"i.js"}',
        'node_modules/dep/i.js': '',
      },
      change: 'node_modules/dep/i.js',
    },
    {
      what: 'a package that hides another',
      command: 'node hooks/x.mjs',
      files: {
        'hooks/x.mjs': "import 'dep';\n",
        'node_modules/dep/package.json': '{"name":"dep","type":"module","main":"i.js"}',
        'node_modules/dep/i.js': '',
      },
      change: 'hooks/node_modules/dep/package.json',
    },
  ];

  it.each(LOADED)(
    'asks again when what its script loads has changed: $what',
    async ({ command, files, change }) => {
      await using box = await CliSandbox.create({
        '.claude/settings.json': hook(command),
        'package.json': '{"version":"1"}',
        ...files,
      });
      await box.run(['trust', '--json']);
      const state = async () => (await box.run(['trust', '--list', '--json'])).json();
      await box.folder.write('package.json', '{"version":"2"}');
      expect(await state()).toMatchObject({ state: 'trusted' });
      await box.folder.write(
        change,
        change.endsWith('.json') ? '{"name":"dep","main":"i.js"}' : '// changed\n',
      );
      expect(await state()).toMatchObject({ state: 'changed' });
      const ran = await box.run(['run', '--offline', 'hello']);
      expect(ran.stderr).toContain('has changed since you trusted it');
      expect(ran.stderr).toContain(/node_modules/.test(change) ? dirname(change) : change);
    },
  );

  it.each([
    ['python3 .claude/hooks/x.py', '.claude/hooks/x.py', '', 'python'],
    ['./hook', 'hook', '#!/usr/bin/env ruby\n', 'ruby'],
    ['tsx hook.ts', 'hook.ts', '', 'a TypeScript runner'],
  ])(
    'says in the question that the modules of another interpreter are not pinned: %s',
    async (command, file, text, by) => {
      await using box = await CliSandbox.create({ '.claude/settings.json': hook(command), [file]: text });
      const { acts } = (await box.run(['trust', '--list', '--json'])).json();
      expect(acts).toContainEqual({ file, what: `loads modules that cannot be pinned, by ${by}` });
    },
  );

  it.each([
    ['node -r dotenv/config hook.js'],
    ['node --import ./first.mjs hook.js'],
    ["node -e 'require(process.env.X)'"],
    ["python3 -c 'import x'"],
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
