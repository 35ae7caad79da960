import { symlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { hostPaths } from '../host-paths.js';
import { openProject } from '../project/open-project.js';
import { folderTrust } from './folder-trust.js';
import { trustFolder } from './trust-folder.js';

type Files = Record<string, string>;

const hook = (command: string): Files => ({
  '.claude/settings.json': JSON.stringify({
    hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] },
  }),
});
const ownHook = (command: string | string[]): Files => ({
  '.amplifier/settings.yaml': JSON.stringify({
    modules: { hooks: [{ module: 'hooks-shell', config: { hooks: [{ event: 'x', command }] } }] },
  }),
});
const mcpJson = (args: string[], more: object = {}): Files => ({
  '.mcp.json': JSON.stringify({ mcpServers: { x: { command: 'bash', args, ...more } } }),
});
const settings = (server: object): Files => ({
  '.amplifier/settings.yaml': JSON.stringify({ mcp_servers: { x: server } }),
});
const acp = (command: string, ...args: string[]): Files => ({
  '.amplifier/acp.json': JSON.stringify({ agent_servers: { A: { command, args } } }),
});
const text = (file: string, content: string): Files => ({ [file]: content });

/** By what names it: the configuration, the file that is replaced, and other files. */
type Row = [name: string, configuration: Files, file: string, others?: Files];

const BUNDLE =
  '---\nbundle: { name: b }\nhooks: [{ module: hooks-shell, config: { hooks: [{ event: x, command: bash run }] } }]\n---\nB.\n';
const words = Array.from({ length: 2_100 }, (_, at) => `w.${at}`).join(' ');

const PINNED: Row[] = [
  ['.mcp.json: a path', mcpJson(['./run.sh']), 'run.sh'],
  ['.mcp.json: a bare name', mcpJson(['run']), 'run'],
  [
    '.mcp.json: an escaped slash',
    text('.mcp.json', '{"mcpServers":{"x":{"command":"bash","args":["sub\\/run.sh"]}}}'),
    'sub/run.sh',
  ],
  [
    '.mcp.json: an escaped letter',
    text('.mcp.json', '{"mcpServers":{"x":{"command":"bash","args":["./\\u0072un.sh"]}}}'),
    'run.sh',
  ],
  ['.mcp.json: a blank', mcpJson(['./my run.sh']), 'my run.sh'],
  ['.mcp.json: a name that is not ASCII', mcpJson(['./rün.sh']), 'rün.sh'],
  [
    '.mcp.json: after many words',
    text('.mcp.json', `{"_comment":"${words}","mcpServers":{"x":{"command":"bash","args":["./run.sh"]}}}`),
    'run.sh',
  ],
  ['.mcp.json: a line for a shell', mcpJson(['-c', 'exec bash run']), 'run'],
  ['.mcp.json: a line with cd', mcpJson(['-c', 'cd sub; exec bash run']), 'sub/run'],
  [
    '.mcp.json: the program itself',
    text('.mcp.json', '{"mcpServers":{"x":{"command":"./my server"}}}'),
    'my server',
  ],
  ['.mcp.json: a variable that names a file', mcpJson(['-c', 'true'], { env: { BASH_ENV: 'run' } }), 'run'],
  [
    '.mcp.json: a server with the name of a section of hooks',
    text('.mcp.json', '{"mcpServers":{"hooks":{"command":"bash","args":["run"]}}}'),
    'run',
  ],
  ['mcp_servers: cwd', settings({ command: 'bash', args: ['run.sh'], cwd: 'sub' }), 'sub/run.sh'],
  ['mcp_servers: cwd above', settings({ command: 'bash', args: ['NAME/run'], cwd: '..' }), 'run'],
  ['mcp_servers: a bare name', settings({ command: 'bash', args: ['run'] }), 'run'],
  ['mcp_servers: a blank', settings({ command: 'bash', args: ['./my run.sh'] }), 'my run.sh'],
  [
    'mcp_servers: a value of an option',
    settings({ command: 'bash', args: ['--rcfile=./rc', '-i', 'run'] }),
    'rc',
  ],
  ['mcp_servers: npm', settings({ command: 'npm', args: ['run', '-s', 'x'] }), 'package.json'],
  [
    'mcp_servers: cwd of a script that names another',
    settings({ command: 'bash', args: ['../run.sh'], cwd: 'sub' }),
    'sub/helper',
    { 'run.sh': 'bash helper\n' },
  ],
  [
    'mcp_servers: what node requires without an ending',
    settings({ command: 'node', args: ['server.cjs'] }),
    'lib/a.js',
    { 'server.cjs': "require('./lib/a');\n" },
  ],
  ['opencode.json', text('opencode.json', '{"mcp":{"x":{"type":"local","command":["bash","run"]}}}'), 'run'],
  [
    '.codex/config.toml',
    text('.codex/config.toml', '[mcp_servers.x]\ncommand = "bash"\nargs = ["run"]\n'),
    'run',
  ],
  [
    'an agent file with a server',
    text(
      '.amplifier/agents/a.md',
      '---\nname: a\ntools: [{ module: tool-mcp, config: { servers: { x: { command: bash, args: [run] } } } }]\n---\nA.\n',
    ),
    'run',
  ],
  ['a bundle with a hook', text('.amplifier/bundles/b/bundle.md', BUNDLE), 'run'],
  [
    'a bundle that settings name',
    text('.amplifier/settings.yaml', 'bundle: { active: ./theirs.md }\n'),
    'run',
    { 'theirs.md': BUNDLE },
  ],
  ['acp.json: node completes the name', acp('node', 'agent'), 'agent.js'],
  [
    'acp.json: node takes main of a folder',
    acp('node', 'agent'),
    'agent/lib/m.js',
    { 'agent/package.json': '{"main":"lib/m"}' },
  ],
  [
    'settings of an external agent',
    text('.amplifier/settings.yaml', 'delegation: { agents: { x: { command: [bash, run] } } }\n'),
    'run',
  ],
  [
    'more arguments of an external agent',
    text('.amplifier/settings.yaml', 'delegation: { agents: { codex: { extra_args: [--rc, run] } } }\n'),
    'run',
  ],
  ['acp.json: a bare name', acp('bash', 'agent'), 'agent'],
  ['hook: bash NAME', hook('bash run'), 'run'],
  ['hook: the current folder by the kernel', hook('bash /proc/self/cwd/run'), 'run'],
  ['hook: the current folder by a tilde', hook('bash ~+/run'), 'run'],
  ['hook: cd', hook('cd sub && ./run'), 'sub/run'],
  ['hook: cd, then a bare name', hook('cd sub; bash run'), 'sub/run'],
  ['hook: cd twice', hook('cd a; cd b && bash run'), 'a/b/run'],
  ['hook: cd to the project', hook('cd "$CLAUDE_PROJECT_DIR" && bash sub/run'), 'sub/run'],
  ['hook: cd by way of a folder above', hook('cd sub/..; bash run'), 'run'],
  ['hook: pushd', hook('pushd sub >/dev/null; bash run'), 'sub/run'],
  ['hook: env -C', hook('env -C sub bash run'), 'sub/run'],
  ['hook: env --chdir', hook('env --chdir=sub bash run'), 'sub/run'],
  ['hook: cd in a line of a line', hook('bash -c "cd sub; exec bash run"'), 'sub/run'],
  ['hook: .', hook('. ./run'), 'run'],
  ['hook: quotes in a name', hook('bash r"u"n'), 'run'],
  ['hook: ANSI quotes', hook("bash $'r\\x75n'"), 'run'],
  ['hook: $PWD after cd', hook('cd sub; bash "$PWD/run"'), 'sub/run'],
  ['hook: the input of a shell', hook('bash < run'), 'run'],
  ['hook: node NAME', hook('node run'), 'run.js'],
  ['hook: node FOLDER', hook('node lib'), 'lib/index.js'],
  ['hook: node behind another program', hook('env A=1 timeout 5 node run'), 'run.mjs'],
  ['hook: node -r', hook('node -r ./pre -e 0'), 'pre.js'],
  ['hook: NODE_OPTIONS', hook('NODE_OPTIONS="--require ./pre" node -e 0'), 'pre.js'],
  ['hook: node --import=', hook('node --import=./pre.mjs -e 0'), 'pre.mjs'],
  ['hook: python FOLDER', hook('python3 app'), 'app/__main__.py'],
  ['hook: python -m', hook('cd sub; python3 -m tools.check'), 'sub/tools/check.py'],
  ['hook: the package of a python module', hook('python3 -m tools.check'), 'tools/__init__.py'],
  ['hook: perl NAME', hook('perl run'), 'run'],
  ['hook: awk -f', hook('awk -f prog /dev/null'), 'prog'],
  ['hook: make -C', hook('make -s -C sub'), 'sub/Makefile'],
  ['hook: npm --prefix', hook('npm --prefix sub run -s x'), 'sub/package.json'],
  ['hook: a list', ownHook(['bash', 'my run']), 'my run'],
  ['hook: a list with a shell', ownHook(['bash', '-c', 'cd sub; ./run']), 'sub/run'],
  [
    'setup of isolated trees',
    text('.amplifier/settings.yaml', 'isolation: { setup: cd sub; bash run }\n'),
    'sub/run',
  ],
  ['script: a bare name', hook('bash ./run.sh'), 'helper', { 'run.sh': '#!/bin/bash\nbash helper\n' }],
  ['script: a blank', hook('bash ./run.sh'), 'my helper', { 'run.sh': 'bash "my helper"\n' }],
  [
    'script: an escaped blank',
    hook('bash ./run.sh'),
    'sub/my helper',
    { 'run.sh': "bash 'sub/my helper'\n" },
  ],
  ['script: not ASCII', hook('bash ./run.sh'), 'sub/hélper', { 'run.sh': 'bash sub/hélper\n' }],
  [
    'script: beside itself',
    hook('bash tools/run.sh'),
    'tools/helper',
    { 'tools/run.sh': 'bash "$(dirname "$0")/helper"\n' },
  ],
  [
    'script: a variable before the name',
    hook('bash tools/run.sh'),
    'tools/helper',
    { 'tools/run.sh': 'HERE=$(x)\nbash "$HERE/helper"\n' },
  ],
  [
    'script: cd from its own folder',
    hook('bash ./run.sh'),
    'sub/helper',
    { 'run.sh': '#!/bin/bash\ncd "$(dirname "$0")/sub"\n./helper\n' },
  ],
  [
    'script: cd',
    hook('bash ./tools/run.sh'),
    'sub/helper.sh',
    { 'tools/run.sh': '#!/bin/bash\ncd sub\n. ./helper.sh\n' },
  ],
  ['script: cd in another form', hook('bash ./run.sh'), 'sub/helper', { 'run.sh': '\\cd s"u"b; ./helper\n' }],
  ['script: quotes in a name', hook('bash ./run.sh'), 'helper', { 'run.sh': "bash h'elp'er\n" }],
  ['script: node NAME', hook('bash ./run.sh'), 'lib/index.js', { 'run.sh': 'exec node lib\n' }],
  ['script: cd of the command', hook('cd sub; bash ../run.sh'), 'sub/helper', { 'run.sh': 'bash helper\n' }],
  ['script: after many words', hook('bash ./run.sh'), 'helper', { 'run.sh': `: ${words}\nbash helper\n` }],
];

/** Commands that run more than the files they name, which the question reports. */
const ANNOUNCED: Row[] = [
  ['mcp_servers: npm', settings({ command: 'npm', args: ['run', 'x'] }), 'package.json'],
  ['mcp_servers: python -m', settings({ command: 'python3', args: ['-m', 'x'] }), 'x.py'],
  [
    'mcp_servers: a script of python',
    settings({ command: 'python3', args: ['x.py'] }),
    'helper.py',
    { 'x.py': 'import helper\n' },
  ],
  [
    'mcp_servers: a script of python without an ending',
    settings({ command: 'python3', args: ['run'] }),
    'helper.py',
    { run: 'import helper\n' },
  ],
  ['mcp_servers: a variable', settings({ command: 'bash', args: ['${NAME:run}.sh'] }), 'run.sh'],
  [
    'mcp_servers: cwd of a variable',
    settings({ command: 'bash', args: ['run'], cwd: '${NAME:sub}' }),
    'sub/run',
  ],
  ['mcp_servers: the search path', settings({ command: 'run', env: { PATH: './bin' } }), 'bin/run'],
  [
    '.mcp.json: npx',
    text('.mcp.json', '{"mcpServers":{"x":{"command":"npx","args":["-y","x"]}}}'),
    'package.json',
  ],
  ['.mcp.json: a computed name', mcpJson(['-c', 'exec bash "$(cat name)"']), 'run'],
  ['acp.json: make', acp('make', 'agent'), 'x'],
  ['acp.json: code as an argument', acp('node', '-e', 'require(process.argv[1])', './x'), 'x'],
  ['hook: a pipe', hook('cat run | bash'), 'run'],
  ['hook: the search path', hook('PATH=$PWD:$PATH; run'), 'run'],
  ['hook: CDPATH', hook('CDPATH=sub; cd deep; ./run'), 'sub/deep/run'],
  ['hook: BASH_ENV', hook('BASH_ENV=run bash -c true'), 'run'],
  ['hook: a pattern', hook('bash ru*'), 'run'],
  ['hook: braces', hook('bash {run,x}'), 'run'],
  ['hook: eval', hook('eval "$(cat run)"'), 'run'],
  ['hook: find', hook('find . -name run -exec bash {} \\;'), 'run'],
  ['hook: a loop', hook('for f in sub/*; do bash "$f"; done'), 'sub/run'],
  ['hook: run-parts', hook('run-parts --regex=. sub'), 'sub/run'],
  ['hook: perl -M', hook('perl -I. -MFoo -e 0'), 'Foo.pm'],
  ['hook: xargs', hook('echo run | xargs bash'), 'run'],
  ['hook: sed -f', hook('echo x | sed -f prog'), 'prog'],
  ['hook: settings of git', hook('git -c include.path=../cfg x'), 'cfg'],
  ['hook: dirname', hook('bash "$(dirname ./x)/run"'), 'run'],
  ['hook: a variable', hook('X=run; bash $X'), 'run'],
  ['hook: a descriptor', hook('exec 3<run; bash /dev/fd/3'), 'run'],
  ['hook: mapfile', hook('mapfile -t L < run; eval "${L[1]}"'), 'run'],
  ['hook: a computed folder', hook('cd "$X" && ./run'), 'sub/run'],
  ['hook: the home folder', hook('cd && ./run'), 'run'],
  ['script: a computed folder', hook('bash ./run.sh'), 'sub/run', { 'run.sh': 'cd "$X"\n./run\n' }],
  ['script: python -m', hook('bash ./run.sh'), 'x.py', { 'run.sh': 'python3 -m x\n' }],
  ['script: a computed name', hook('bash ./run.sh'), 'run', { 'run.sh': 'X=run\nbash "$X"\n' }],
  [
    'script: a computed folder with a file of the same name in a known one',
    hook('bash ./run.sh'),
    'sub/helper',
    { 'run.sh': 'X=sub\nbash "$X/helper"\n', helper: '1\n' },
  ],
  [
    'script: a computed folder in another form',
    hook('bash ./run.sh'),
    'sub/run',
    { 'run.sh': '\\cd "$X"; ./run\n' },
  ],
  [
    'script: a variable for its own folder that is set again',
    hook('bash ./run.sh'),
    'sub/helper',
    { 'run.sh': 'D="$(dirname "$0")"\nread D\nbash "$D/helper"\n' },
  ],
  ['script: npm', hook('bash ./run.sh'), 'package.json', { 'run.sh': 'if true; then npm run x; fi\n' }],
  [
    'script: too long to be searched',
    hook('bash ./run.sh'),
    'helper',
    { 'run.sh': `${'# x\n'.repeat(70_000)}bash helper\n` },
  ],
];

async function scene([, configuration, file, others = {}]: Row) {
  const folder = await TempWorkspace.create({ ...configuration, ...others, [file]: '{"a":1}\n' });
  for (const [path, content] of Object.entries(configuration))
    await folder.write(path, content.replaceAll('NAME/', `${basename(folder.path)}/`));
  const home = await TempWorkspace.create();
  const environment = { AMPLIFIER_HOME: home.path };
  const paths = hostPaths(folder.path, environment);
  return {
    folder,
    trust: () => folderTrust(paths),
    accept: async () => trustFolder(paths, await folderTrust(paths), environment),
    open: () => openProject({ cwd: folder.path, environment }),
    async [Symbol.asyncDispose]() {
      for (const each of [folder, home]) await each[Symbol.asyncDispose]();
    },
  };
}

/** Files that a session may change: the person is asked about them instead. */
const isManifest = (file: string) => /(package\.json|Makefile)$/.test(file);

describe('a command that a person trusted', () => {
  it.each(PINNED)('does not run once its file was replaced: %s', async (...row) => {
    await using at = await scene(row);
    const [, , file] = row;
    await at.accept();
    const { state, locked } = (await at.open()).trust;
    expect(state).toBe('trusted');
    if (!isManifest(file)) expect(locked).toContain(at.folder.resolve(file));
    await at.folder.write('README.md', 'Text may change.');
    expect((await at.trust()).state).toBe('trusted');
    await at.folder.write(file, '{"a":2}\n');
    const { trust } = await at.open();
    expect(trust.state).toBe('changed');
    expect(trust.added.map(({ file: changed }) => changed)).toContain(file);
  });

  it.each(ANNOUNCED)('is shown as something that cannot be pinned: %s', async (...row) => {
    await using at = await scene(row);
    const { parts } = await at.trust();
    expect(parts.map(({ what }) => what).filter((what) => what.includes('cannot be pinned'))).not.toEqual([]);
  });

  it.each<[string, string, string]>([
    ['to a script, which takes its own folder for its own', 'tools/run', '../lib/run.sh'],
    ['to a folder', 'link', 'lib'],
  ])('does not run once a file was replaced behind a link: %s', async (_, link, target) => {
    const command = link === 'link' ? 'cd link; bash run.sh' : 'bash tools/run';
    await using at = await scene([
      '',
      hook(command),
      'tools/helper',
      { 'lib/run.sh': 'bash "$(dirname "$0")/helper"\n', 'lib/helper': '1\n' },
    ]);
    await symlink(target, at.folder.resolve(link));
    await at.accept();
    expect((await at.trust()).state).toBe('trusted');
    await at.folder.write(link === 'link' ? 'lib/helper' : 'tools/helper', '2\n');
    expect((await at.trust()).state).toBe('changed');
  });

  it('is never trusted for longer than a start where it is more than can be looked through', async () => {
    const rows = [hook(`bash run ${'x '.repeat(20_000)}`), mcpJson(['run', ...Array(6_000).fill('x')])];
    for (const configuration of rows) {
      await using at = await scene(['', configuration, 'run']);
      const { parts } = await at.trust();
      expect(parts.map(({ what }) => what)).toContainEqual(expect.stringContaining('too long'));
      await at.accept();
      expect((await at.trust()).state).toBe('changed');
    }
  });

  it.each<[string, Files, Files]>([
    ['a program of the search path', acp('prog', '--go'), {}],
    [
      'a script',
      mcpJson(['./run.sh', '--port', '80']),
      { 'run.sh': 'cd "$(dirname "$0")" || exit\nexec prog\n' },
    ],
    [
      'a script that uses its own folder',
      hook('bash run.sh'),
      {
        'run.sh': 'D="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n. "$D/lib.sh"\nbash "${D}/lib.sh"\n',
        'lib.sh': 'echo\n',
      },
    ],
    [
      'a script of node',
      settings({ command: 'node', args: ['server.mjs'], env: { TOKEN: 'x' } }),
      { 'server.mjs': "import 'dep';\n" },
    ],
    [
      'a hook in the project',
      hook('cd "$CLAUDE_PROJECT_DIR" && "$CLAUDE_PROJECT_DIR/run.sh"'),
      { 'run.sh': '# make sure\necho\n' },
    ],
  ])('has no such note where it runs only what it names: %s', async (name, configuration, files) => {
    await using at = await scene([name, configuration, 'README.md', files]);
    const { parts, locked } = await at.trust();
    expect(parts.filter(({ what }) => /pinned|too long/.test(what))).toEqual([]);
    const others = locked.filter((path) => !path.endsWith('/hooks'));
    expect(others).toEqual(Object.keys(files).map((file) => at.folder.resolve(file)));
  });
});
