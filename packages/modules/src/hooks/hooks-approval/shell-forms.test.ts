import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decidePermission } from './decide-permission.js';
import { readRules } from './permission-rule.js';
import { RUNNING_FORMS } from './shell-forms.fixture.js';

const FORMS = 600;
/** How many of them also run in a real shell, for each shell; the torture runs them all. */
const IN_SHELL = Number(process.env.FORMS_IN_SHELL ?? 60);
const SEED = 20_260;

async function action(permissions: object, command: string): Promise<string | null> {
  const verdict = await decidePermission(readRules(permissions, 'test'), {
    tool: 'bash',
    input: { command },
    paths: [],
    folders: [],
  });
  return verdict?.action ?? null;
}

const single = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Ways to write the name of a program. `folder` is where it is. */
const SPELLINGS: ((name: string, folder: string) => string)[] = [
  (name) => name,
  (name) => `"${name}"`,
  (name) => `'${name}'`,
  (name) => `\\${name}`,
  (name) => `${name[0]}""${name.slice(1)}`,
  (name) => `${name[0]}'${name.slice(1)}'`,
  (name) => `${name.slice(0, -1)}\\${name.at(-1)}`,
  (name) => `${name[0]}\\\n${name.slice(1)}`,
  (name) => `$'${name}'`,
  (name) => `$'${[...name].map((each) => `\\x${each.charCodeAt(0).toString(16)}`).join('')}'`,
  (name) => `$'\\${name.charCodeAt(0).toString(8)}${name.slice(1)}'`,
  (name) => `$"${name}"`,
  (name, folder) => `${folder}/${name}`,
  (name, folder) => `${folder}/../${folder.split('/').at(-1)}//${name}`,
];

/** Ways to put blanks, assignments and redirections around a command. */
const AROUND: ((command: string) => string)[] = [
  (command) => command,
  (command) => `\t${command}`,
  (command) => `  ${command}  `,
  (command) => `> out ${command}`,
  (command) => `2>&1 ${command}`,
  (command) => `<<<x ${command}`,
  (command) => `{fd}>out ${command}`,
  (command) => `X="a b" ${command}`,
  (command) => `X=$(echo 1) Y='z' ${command}`,
  (command) => `${command} > out 2>&1`,
  (command) => `${command} # end`,
  (command) => `\\\n${command}`,
];

/** Programs and builtins that run a command. */
const RUNNERS: ((command: string) => string)[] = [
  (command) => `command ${command}`,
  (command) => `exec ${command}`,
  (command) => `exec -a name ${command}`,
  (command) => `env ${command}`,
  (command) => `env -u HOME A=1 ${command}`,
  (command) => `env -S ${single(command)}`,
  (command) => `nohup ${command}`,
  (command) => `setsid -w ${command}`,
  (command) => `nice -n 1 ${command}`,
  (command) => `nice ${command}`,
  (command) => `timeout 9 ${command}`,
  (command) => `timeout -k 1 -s KILL 9 ${command}`,
  (command) => `/usr/bin/timeout --preserve-status 9s ${command}`,
  (command) => `stdbuf -o0 ${command}`,
  (command) => `flock lock ${command}`,
  (command) => `flock lock -c ${single(command)}`,
  (command) => `echo | xargs ${command}`,
  (command) => `echo x | xargs -I{} ${command}`,
  (command) => `find . -maxdepth 0 -exec ${command} \\;`,
  (command) => `find . -maxdepth 0 -exec ${command} {} +`,
  (command) => `timeout 9 env nice -n 1 ${command}`,
];

/** Lines that run a whole line, which can be read before they run: these take any of the others. */
const READABLE_LINES: ((line: string) => string)[] = [
  (line) => `if true\nthen ${line}\nfi`,
  (line) => `if ${line}\nthen :; fi`,
  (line) => `if false; then :; else ${line}\nfi`,
  (line) => `for i in 1; do ${line}\ndone`,
  (line) => `for ((i = 0; i < 1; i++)); do ${line}\ndone`,
  (line) => `while :; do ${line}\nbreak; done`,
  (line) => `until ${line}\ndo break; done`,
  (line) => `case a in a) ${line}\n;; esac`,
  (line) => `(${line}\n)`,
  (line) => `{ ${line}\n}`,
  (line) => `f() { ${line}\n}; f`,
  (line) => `function f { ${line}\n}\nf`,
  (line) => `echo "$(${line}\n)"`,
  (line) => `x=$(${line}\n)`,
  (line) => `cat <(${line}\n)`,
  (line) => `: "\${none:-$(${line}\n)}"`,
  (line) => `: $((1 + $(${line}\n echo 1)))`,
  (line) => `[[ -n $(${line}\n) ]]`,
  (line) => `a=(x $(${line}\n))`,
  (line) => `a[$(${line}\n echo 0)]=1`,
  (line) => `: <<END\n$(${line}\n)\nEND\n`,
  (line) => `sh <<'END'\n${line}\nEND\n`,
  (line) => `bash <<< ${single(line)}`,
  (line) => `true && ${line}`,
  (line) => `false || ${line}`,
  (line) => `true | ${line}`,
  (line) => `true; ${line}`,
  (line) => `true & ${line}`,
  (line) => `true\n${line}`,
  (line) => `! ${line}`,
  (line) => `time ${line}`,
  (line) => `${line}\necho after`,
  (line) => `bash -c ${single(line)}`,
  (line) => `sh -ec ${single(line)} name`,
  (line) => `bash -o pipefail -c ${single(line)}`,
  (line) => `eval ${single(line)}`,
  (line) => `trap ${single(line)} EXIT`,
  (line) => `coproc { ${line}\n}; wait`,
  (line) => `builtin eval ${single(line)}`,
  (line) => `[[ -v a[$(${line}\n echo 0)] ]]`,
  (line) => `((a[$(${line}\n echo 0)] + 1))`,
  (line) => `: \${a[$(${line}\n echo 0)]}`,
  (line) => `select i in 1; do ${line}\nbreak; done <<< 1`,
  (line) => `declare -a b=($(${line}\n))`,
  (line) => `cat <<-END\n\t$(${line}\n)\n\tEND\n`,
  (line) => `exec 3< <(${line}\n); cat <&3`,
  (line) => `tee >(${line}\n) < /dev/null | cat`,
  (line) => `{ ${line}\n} | cat`,
  (line) => `env bash -c ${single(line)}`,
  (line) => `echo x | xargs -I{} sh -c ${single(line)}`,
  (line) => `find . -maxdepth 0 -exec sh -c ${single(line)} \\;`,
];

/** Lines that run a whole line in a way that can only be asked about. */
const UNREADABLE_LINES: ((line: string) => string)[] = [
  (line) => `eval "$(cat <<'END'\n${line}\nEND\n)"`,
  (line) => `printf %s ${single(line)} | sh`,
  (line) => `source /dev/stdin <<'END'\n${line}\nEND\n`,
  (line) => `shopt -s expand_aliases\nalias go=${single(line)}\ngo`,
  (line) => `X=${single(line)}; eval "$X"`,
  (line) => `printf %s ${single(line)} > s; . ./s`,
  (line) => `printf %s ${single(line)} > s; bash s`,
  (line) => `cat > s <<'END'\n${line}\nEND\nmv s t; sh ./t`,
  (line) => `bash <<< ${single(line)} 3<<< :`,
];

const LINES = [...READABLE_LINES, ...UNREADABLE_LINES];

/** Ways to run a command that can only be asked about. */
const HIDDEN_NAMES: ((name: string, args: string, folder: string) => string)[] = [
  (name, args) => `X=${name}; $X ${args}`,
  (name, args) => `X=${name}; "\${X}" ${args}`,
  (name, args) => `$(echo ${name}) ${args}`,
  (name, args) => `\`echo ${name}\` ${args}`,
  (name, args) => `{${name},${args.split(' ').join(',')}}`,
  (name, args) => `set -- ${name} ${args}; "$@"`,
  (name, args) => `x='a[$(${name} ${args})]'; : $((x))`,
  (name, args) => `test -v 'a[$(${name} ${args})]'`,
  (name, args) => `printf -v 'a[$(${name} ${args})]' x`,
  (name, args) => `p='$(${name} ${args})'; : "\${p@P}"`,
  (name, args) => `BASH_ENV='$(${name} ${args})' bash -c :`,
  (name, args) => `python3 -c 'import os; os.system("${name} ${args}")'`,
  (name, args) => `perl -e 'system("${name} ${args}")'`,
  (name, args) => `awk 'BEGIN { system("${name} ${args}") }'`,
  (name, args) => `echo x | sed 's/x/${name} ${args}/e'`,
  (name, args) => `echo x | sed '1e ${name} ${args}'`,
  (name, args) => `git -c 'alias.go=!${name} ${args}' go`,
  (name, args) => `tar -cf t.tar --checkpoint=1 '--checkpoint-action=exec=${name} ${args}' .`,
  (name, args) => `echo ${name} ${args} | xargs -n 9 env`,
  (name, args) => `echo ${name} | xargs -I% % ${args}`,
  (name, args) => `mapfile -c 1 -C '${name} ${args} #' <<< x`,
  (name, args) => `!(${name} ${args})`,
  (name, args, folder) => `${folder}/${name.slice(0, -1)}? ${args}`,
  (name, args, folder) => `${folder}/[${name[0]}]${name.slice(1)} ${args}`,
  (name, args) => `/usr/bin/e?v ${name} ${args}`,
  (name, args) => `${name[0]}{${name.slice(1)},} ${args}`,
  (name, args) => `set -o history -o histexpand\n: ${name} ${args}\n!!:1 !!:*`,
  (name, args) => `v='b[$'; v="$v(${name} ${args})]"; echo $((v))`,
  (name, args) => `v='b[$'; v="$v(${name} ${args})]"; [[ -v $v ]]`,
  (name, args) => `v='-v b[$'; v="$v(${name})]"; [ $v ] || ${name} ${args}`,
  (name, args) => `x='$'; declare -a z="($x(${name} ${args}))"`,
  (name, args) => `echo x >&'$(${name} ${args})'`,
  (name, args) => `x='$'; RANDOM="b[$x(${name} ${args})]"`,
  (name, args) => `jobs -x ${name} ${args}`,
  (name, args) => `x=-exec; find . -maxdepth 0 "$x" ${name} ${args} \\;`,
  (name, args) => `env -S '${name}\\_${args.replaceAll(' ', '\\_')}'`,
  (name, args) => `sh -c '((${name} ${args}))'`,
  (name, args) => `sh -c '[[ x || ${name} ${args} ]]'`,
  (name, args) => `sh -c 'echo x &>out ${name} ${args}'`,
  (name, args) => `ssh h -oProxyCommand='${name} ${args}' x`,
  (name, args) => `${name}\u00a0${args}`,
  (name, args) => `\u2003${name} ${args}`,
  (name, args) => `${name}\r ${args}\r`,
];

function formsOf(name: string, args: string, folder: string): fc.Arbitrary<string> {
  const command = fc
    .tuple(fc.constantFrom(...SPELLINGS), fc.constantFrom(...AROUND), fc.constantFrom(null, ...RUNNERS))
    .map(([spell, around, run]) => {
      const written = `${spell(name, folder)} ${args}`;
      return run === null ? around(written) : around(run(written));
    });
  const hidden = fc.constantFrom(...HIDDEN_NAMES).map((hide) => hide(name, args, folder));
  const line = fc.oneof({ weight: 4, arbitrary: command }, { weight: 1, arbitrary: hidden });
  return fc
    .tuple(line, fc.array(fc.constantFrom(...LINES), { maxLength: 3 }))
    .map(([start, wraps]) => wraps.reduce((text, wrap) => wrap(text), start));
}

const sampleOf = (name: string, args: string, folder: string) => [
  ...new Set(fc.sample(formsOf(name, args, folder), { numRuns: FORMS * 2, seed: SEED })),
];

const RULES: [rule: string, name: string, args: string][] = [
  ['touch *', 'touch', 'M'],
  ['git push --force *', 'git', 'push --force origin'],
  ['rm -rf *', 'rm', '-rf build'],
  ['npm publish *', 'npm', 'publish'],
];

describe('a rule that denies a command', () => {
  it.each(RULES)('never lets a form of it pass unasked: %s', async (rule, name, args) => {
    const forms = sampleOf(name, args, '/usr/bin');
    expect(forms.length).toBeGreaterThanOrEqual(500);
    const passed = [];
    for (const form of forms) {
      const given = await action({ deny: [`bash: ${rule}`], allow: ['bash'] }, form);
      if (given !== 'deny' && given !== 'ask') passed.push(form);
    }
    expect(passed).toEqual([]);
  });

  it.each(RULES)('denies every form that can be read before it runs: %s', async (rule, name, args) => {
    for (const spell of SPELLINGS) {
      for (const wrap of [...AROUND, ...RUNNERS, ...READABLE_LINES]) {
        const form = wrap(`${spell(name, '/usr/bin')} ${args}`);
        expect([form, await action({ deny: [`bash: ${rule}`] }, form)]).toEqual([form, 'deny']);
      }
    }
  });

  it.each([
    'git push origin main',
    'git commit -m "touch up; rm -rf nothing"',
    'echo "touch M" > notes',
    'grep -rn "git push --force" docs',
    'npm test && npm run build 2>&1 | tail -5',
    'for f in *.ts; do wc -l "$f"; done',
    'cat <<END > page\ntouch M\nrm -rf build\nEND\n',
    'find . -name "*.ts" -not -path "./node_modules/*" | head',
    'cd src && ls -la "$HOME"',
    'timeout 60 npm test -- --run',
    'sed -n "1,20p" a.ts; sed -i -e "s/one/three/g" a.ts',
    "awk '{ print $1 }' a",
    'python3 script.py; node build.js --watch; . ./venv/bin/activate',
    'git diff | head -c 100; rm -r dist; rm dist/old',
    'command -v touch',
    'git status --short && git log --oneline -5 && git -C sub diff --stat HEAD~1',
    'git add -A && git commit -qm "$(cat <<\'END\'\nwords\nEND\n)" && git push -u origin main',
    'git checkout -b topic; git add src/*.ts; git config user.name me',
    'sort -k2,2 -t, -u a | uniq -c; tar -xzf a.tgz -C out --strip-components=1; tar czf b.tgz src',
    "sed -i 's/[a-z]*x/y/g;1,3d' a.ts; sed -n '/one/,/two/{p}' a; sed 's|a/b|c|' a",
    'make -j4 test V=1; python3 -m pytest -q tests; node --test; npm ci --no-audit',
    'gcc -Wall -O2 -c a.c -o a.o; cmake -S . -B build -DCMAKE_BUILD_TYPE=Release; cmake --build build -j4',
    'i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; for n in {1..3}; do echo $((n * 2)); done',
    'node scripts/build.mjs > build.log 2>&1; npx tsc --noEmit; count=$(ls | wc -l); echo "$count"',
    'python3 -m pytest -x -q tests/test_a.py; pip install -r requirements.txt; pytest -k "a and not b"',
    'set -euo pipefail; [ "$A" = "$B" ] && echo same; [[ -f x && $A == b* ]] && echo yes; wait $!',
    'find "$DIR" -name "*.ts" | xargs grep -l word; rg -n word src; docker build -t x .; cargo test word',
    'export NAME="$(date)"; read -r line < a; printf "%s" "$NAME"; ssh -p 22 host ls -la',
  ])('leaves other commands alone: %s', async (line) => {
    const deny = RULES.map(([rule]) => `bash: ${rule}`);
    expect(await action({ deny, allow: ['bash'] }, line)).toBe('allow');
  });
});

const UNUSUAL_RUNNERS = [
  'env - rmx x',
  'env - A=b rmx x',
  'ld.so /usr/bin/rmx x',
  '/usr/lib/git-core/git-ls-remote --upload-pack=rmx .',
  'cpp -wrapper rmx,x f.c',
  'c89-gcc -wrapper rmx,x f.c',
  'prove -e rmx a',
  "newgrp <<< 'rmx x'",
  "strace -o '|rmx x' ls",
];

it('asks about every line that runs a denied program by another', async () => {
  const passed = [];
  for (const line of [...RUNNING_FORMS, ...UNUSUAL_RUNNERS]) {
    const given = await action({ deny: ['bash: rmx *'], allow: ['bash'] }, line);
    if (given !== 'deny' && given !== 'ask') passed.push(line);
  }
  expect(passed).toEqual([]);
});

it.each([
  ['sort *', 'sort -u a', 'sort --co=rmx a'],
  ['sort *', 'sort -k2,2 a', 'sort -o b a'],
  ['find *', 'find . -name "*.ts"', 'find . -delete'],
  ['awk *', "awk '$1 > 3' a", "awk '{ print > $1 }' a"],
  ['git rebase *', 'git rebase -m main', "git rebase -mx'rmx x' main"],
  ['git shortlog *', 'git shortlog -sn', 'git shortlog -n --output=b'],
  ['git format-patch *', 'git format-patch --stdout HEAD~1', 'git format-patch -o b HEAD~1'],
  ['tcpdump *', 'tcpdump -n -c 1', 'tcpdump -w b -c 1'],
  ['python3 *', 'python3 -W error a.py', 'python3 -W error::rmx.X a.py'],
  ['python3 *', 'python3 -m pytest -q', 'python3 -m pytest -p rmx'],
  ['pytest *', 'pytest -k word', 'pytest -c b'],
  ['pip *', 'pip list', 'pip --python=rmx list'],
  ['node *', 'node --unhandled-rejections=strict a.js', 'node --unhandled-rejections strict -e 1'],
  ['npm *', 'npm ls', 'npm exe rmx'],
  ['sed *', 'sed -n 1,5p a', "sed 'sZ$ZZe' a"],
  ['git clone *', 'git clone --depth=1 https://host.test/a', "git clone -u 'rmx x' ./a b"],
  ['git fetch *', 'git fetch --all --prune', 'git fetch --uplo=rmx .'],
  ['git grep *', 'git grep -n word', 'git grep --open=rmx word'],
  ['tar *', 'tar xzf a.tgz', "tar xIf 'rmx x' a.tar"],
  ['tar *', 'tar -tf a.tar', 'tar -tf host:a.tar'],
  ['zip *', 'zip -qr a.zip src', "zip -q z.zip y -T --unz='rmx x;'"],
  ['sqlite3 *', 'sqlite3 a.db "select 1"', "sqlite3 a.db '.sh rmx x'"],
  ['sqlite3 *', 'sqlite3 a.db "select 2"', `sqlite3 a.db "select 1; vacuum into 'b'"`],
  ['make test *', 'make test -j4', "make test CC='rmx x #'"],
  ['readonly *', 'readonly a', "readonly -a 'z=($(rmx x))'"],
  ['typeset *', 'typeset -i a', "typeset -a 'z=($(rmx x))'"],
  ['declare *', 'declare -p a', "declare -a 'z=($(rmx x))'"],
  ['ssh *', 'ssh host ls', "ssh -o ProxyCommand='rmx x' h"],
  ['ssh *', 'ssh -p 22 host ls -la', "ssh h -oProxyCommand='rmx x'"],
  ['install *', 'install -m 644 a b', 'install -s --strip-p=rmx y z'],
  ['wget *', 'wget -qO- https://host.test/a', 'wget -O b https://host.test/a'],
  ['wget *', 'wget -q https://host.test/a', 'wget --use-askpass=rmx http://127.0.0.1:1/'],
  ['gcc *', 'gcc -c a.c', 'gcc -wrapper rmx,x -c a.c'],
  ['cmake *', 'cmake --build .', 'cmake -E env rmx x'],
  ['dpkg *', 'dpkg -l', "dpkg --pre-invoke='rmx x' --purge a"],
])('allows a program that can run others only with known options: %s', async (rule, harmless, other) => {
  const allow = [`bash: ${rule}`];
  expect([await action({ allow }, harmless), await action({ allow }, other)]).toEqual(['allow', null]);
});

describe('in a real shell', () => {
  let base = '';
  const REPOSITORY =
    'git init -q && echo y > y && git add y && git -c user.name=a -c user.email=a@b.test commit -qm one';
  const runIn = async (folder: string, line: string, shell = 'bash') => {
    const env = { PATH: `${join(base, 'bin')}:/usr/bin:/bin`, HOME: folder, RAN: join(folder, 'ran') };
    const running = promisify(execFile)(shell, ['-c', line], { cwd: folder, env, timeout: 30_000 });
    running.child.stdin?.end();
    await running.catch(() => null);
  };
  const run = async (line: string, shell?: string) => {
    const folder = await mkdtemp(join(base, 'run-'));
    await runIn(folder, line, shell);
    return readdir(folder);
  };
  const inGroups = async (lines: readonly string[], each: (line: string) => Promise<void>) => {
    for (let at = 0; at < lines.length; at += 4) await Promise.all(lines.slice(at, at + 4).map(each));
  };

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'shell-forms-'));
    await mkdir(join(base, 'bin'));
    await writeFile(join(base, 'bin/marker'), '#!/bin/sh\n: > "$RAN"\n');
    await chmod(join(base, 'bin/marker'), 0o755);
  });
  afterAll(() => rm(base, { recursive: true, force: true }));

  // `sh` on Debian is dash: what a line for it is read as bash would.
  it.each([
    ['bash', (form: string) => form],
    ['dash', (form: string) => `dash -c ${single(form)}`],
  ])(
    'runs the forms that the rule on them holds: %s',
    async (shell, asWritten) => {
      const forms = sampleOf('marker', 'M', join(base, 'bin')).slice(0, FORMS);
      expect(forms.length).toBeGreaterThanOrEqual(500);
      const inShell = forms.slice(0, IN_SHELL);
      const passed: string[] = [];
      let ran = 0;
      for (const form of forms) {
        const given = await action({ deny: ['bash: marker *'], allow: ['bash'] }, asWritten(form));
        if (given !== 'deny' && given !== 'ask') passed.push(form);
      }
      await inGroups(inShell, async (form) => {
        if ((await run(form, shell)).includes('ran')) ran++;
      });
      expect(passed).toEqual([]);
      // Some nested forms are no valid shell, such as an alias in a function, and dash knows less. The rest must be real.
      expect(ran).toBeGreaterThan(inShell.length / (shell === 'bash' ? 2 : 4));
    },
    600_000,
  );

  it.each([
    [
      'sort',
      [
        '-u',
        '-k1',
        'y',
        '-n',
        '-S',
        '1k',
        '--co=marker',
        '--compress-program=marker',
        '-o',
        'out',
        '--output=out',
        '-T',
        '.',
        '--',
        '-k',
      ],
    ],
    [
      'sed',
      [
        '-n',
        'p',
        '1p',
        'y',
        '-e',
        '1e marker M',
        "'1e marker M'",
        "'s/y/marker/e'",
        "'w out'",
        '-f',
        'y',
        '-s',
        '--expression=p',
      ],
    ],
    [
      'awk',
      [
        '1',
        'y',
        "'{ print $1 }'",
        '\'BEGIN { system("marker M") }\'',
        '\'{ print > "out" }\'',
        '\'{ print | "marker M" }\'',
        '-f',
        '-F',
        ':',
        '-v',
        'a=1',
      ],
    ],
    [
      'find',
      [
        '.',
        '-maxdepth',
        '0',
        '-name',
        "'*'",
        '-exec',
        'marker',
        '{}',
        "';'",
        '+',
        '-ok',
        '-fprintf',
        'out',
        '-fprint',
        '-quit',
        '-print',
      ],
    ],
    [
      'git log',
      [
        '-1',
        '--oneline',
        '-n',
        '1',
        '--output=out',
        '--stat',
        '-p',
        '--ext-diff',
        'HEAD',
        '--',
        '-G',
        'x',
        '--format',
        '--format=%h',
      ],
    ],
    [
      'git grep',
      [
        '-n',
        'y',
        '-Omarker',
        '--open=marker',
        '--no-index',
        '-e',
        '-l',
        '--',
        '-A',
        '1',
        '--open-files-in-pager=marker',
      ],
    ],
    ['env', ['-u', 'A', 'A=1', 'marker', 'M', '-S', "'marker M'", '--', '-i', 'true']],
    ['xargs', ['-n1', 'marker', '-I{}', '{}', 'true', '-a', 'y', 'env', '-0']],
  ])(
    'runs and writes nothing by the arguments of an allowed program: %s',
    async (name, words) => {
      const args = fc
        .array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 })
        .map((all) => all.join(' '));
      const forms = [...new Set(fc.sample(args, { numRuns: FORMS * 3, seed: SEED }))].map(
        (text) => `${name} ${text}`,
      );
      expect(forms.length).toBeGreaterThanOrEqual(500);
      const allowed: string[] = [];
      for (const form of forms)
        if ((await action({ deny: ['bash: marker *'], allow: [`bash: ${name} *`] }, form)) === 'allow')
          allowed.push(form);
      expect(allowed.length).toBeGreaterThan(10);
      const folder = await mkdtemp(join(base, 'run-'));
      await runIn(folder, REPOSITORY);
      for (const form of allowed.slice(0, Math.ceil(IN_SHELL / 6))) {
        await runIn(folder, form);
        expect([form, (await readdir(folder)).sort()]).toEqual([form, ['.git', 'y']]);
      }
    },
    600_000,
  );

  it.each(['test', 'printf', 'echo', '['])(
    'runs nothing else that an allow rule lets pass: %s',
    async (name) => {
      const close = name === '[' ? ' ]' : '';
      const inner = fc
        .tuple(fc.constantFrom(...SPELLINGS.slice(0, 12)), fc.constantFrom(...LINES))
        .map(([spell, wrap]) => wrap(`${spell('marker', '')} M`));
      const argument = fc.oneof(
        fc.constantFrom(
          '-v',
          '-n',
          'x',
          '%s',
          '=',
          '-eq',
          '1',
          '-f',
          '*',
          '"a b"',
          '> ran',
          '>> ran',
          '2>&1',
        ),
        inner.map((line) => `"$(${line}\n)"`),
        inner.map((line) => `$(${line}\n)`),
        inner.map((line) => `'a[$(${line}\n)]'`),
        inner.map((line) => `<(${line}\n)`),
        inner.map((line) => `; ${line}\n`),
        inner.map((line) => `&& ${line}\n`),
        inner.map((line) => `$((a[$(${line}\n)]))`),
        inner.map((line) => single(line)),
      );
      const lines = fc
        .array(argument, { minLength: 1, maxLength: 4 })
        .map((args) => `${name} ${args.join(' ')}${close}`);
      const forms = [...new Set(fc.sample(lines, { numRuns: FORMS, seed: SEED }))];
      expect(forms.length).toBeGreaterThanOrEqual(500);
      const pattern = name === '[' ? '\\[ *' : `${name} *`;
      const allowed: string[] = [];
      for (const form of forms)
        if ((await action({ allow: [`bash: ${pattern}`] }, form)) === 'allow') allowed.push(form);
      expect(allowed.length).toBeGreaterThan(10);
      await inGroups(allowed.slice(0, IN_SHELL), async (form) => {
        expect([form, await run(form)]).toEqual([form, []]);
      });
    },
    120_000,
  );
});
