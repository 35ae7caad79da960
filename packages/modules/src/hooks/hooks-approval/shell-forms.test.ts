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

/** Lines that run a whole line: these take any of the others. */
const LINES: ((line: string) => string)[] = [
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
  (line) => `eval "$(cat <<'END'\n${line}\nEND\n)"`,
  (line) => `printf %s ${single(line)} | sh`,
  (line) => `source /dev/stdin <<'END'\n${line}\nEND\n`,
  (line) => `shopt -s expand_aliases\nalias go=${single(line)}\ngo`,
  (line) => `X=${single(line)}; eval "$X"`,
];

const HIDDEN_NAMES: ((name: string, args: string) => string)[] = [
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
];

function formsOf(name: string, args: string, folder: string): fc.Arbitrary<string> {
  const command = fc
    .tuple(fc.constantFrom(...SPELLINGS), fc.constantFrom(...AROUND), fc.constantFrom(null, ...RUNNERS))
    .map(([spell, around, run]) => {
      const written = `${spell(name, folder)} ${args}`;
      return run === null ? around(written) : around(run(written));
    });
  const hidden = fc.constantFrom(...HIDDEN_NAMES).map((hide) => hide(name, args));
  const line = fc.oneof({ weight: 6, arbitrary: command }, { weight: 1, arbitrary: hidden });
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
      for (const wrap of [...AROUND, ...RUNNERS, ...LINES.slice(0, 38)]) {
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
    'export NAME="$(date)"; read -r line < a; printf "%s" "$NAME"; ssh -p 22 host ls -la',
  ])('leaves other commands alone: %s', async (line) => {
    const deny = RULES.map(([rule]) => `bash: ${rule}`);
    expect(await action({ deny, allow: ['bash'] }, line)).toBe('allow');
  });
});

it('asks about every line that runs a denied program by another', async () => {
  const passed = [];
  for (const line of RUNNING_FORMS) {
    const given = await action({ deny: ['bash: rmx *'], allow: ['bash'] }, line);
    if (given !== 'deny' && given !== 'ask') passed.push(line);
  }
  expect(passed).toEqual([]);
});

it.each([
  ['sort *', 'sort -u a', 'sort --co=rmx a'],
  ['sed *', 'sed -n 1,5p a', "sed 'sZ$ZZe' a"],
  ['git clone *', 'git clone --depth=1 https://host.test/a', "git clone -u 'rmx x' ./a b"],
  ['git fetch *', 'git fetch --all --prune', 'git fetch --uplo=rmx .'],
  ['git grep *', 'git grep -n word', 'git grep --open=rmx word'],
  ['tar *', 'tar xzf a.tgz', "tar xIf 'rmx x' a.tar"],
  ['zip *', 'zip -qr a.zip src', "zip -q z.zip y -T --unz='rmx x;'"],
  ['sqlite3 *', 'sqlite3 a.db "select 1"', "sqlite3 a.db '.sh rmx x'"],
  ['make test *', 'make test -j4', "make test CC='rmx x #'"],
  ['readonly *', 'readonly a', "readonly -a 'z=($(rmx x))'"],
  ['typeset *', 'typeset -i a', "typeset -a 'z=($(rmx x))'"],
  ['declare *', 'declare -p a', "declare -a 'z=($(rmx x))'"],
  ['ssh *', 'ssh host ls', "ssh -o ProxyCommand='rmx x' h"],
  ['install *', 'install -m 644 a b', 'install -s --strip-p=rmx y z'],
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
  const run = async (line: string) => {
    const folder = await mkdtemp(join(base, 'run-'));
    const env = { PATH: `${join(base, 'bin')}:/usr/bin:/bin`, HOME: folder, RAN: join(folder, 'ran') };
    await promisify(execFile)('bash', ['-c', line], { cwd: folder, env, timeout: 30_000 }).catch(() => null);
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

  it('runs the forms that the rule on them holds', async () => {
    const forms = fc.sample(formsOf('marker', 'M', join(base, 'bin')), { numRuns: 150, seed: SEED });
    let ran = 0;
    await inGroups([...new Set(forms)], async (form) => {
      if ((await run(form)).includes('ran')) ran++;
      expect([form, await action({ deny: ['bash: marker *'], allow: ['bash'] }, form)]).not.toEqual([
        form,
        'allow',
      ]);
    });
    // Some nested forms are no valid shell, such as an alias in a function. The rest must be real.
    expect(ran).toBeGreaterThan(forms.length / 2);
  }, 120_000);

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
      await inGroups(allowed, async (form) => {
        expect([form, await run(form)]).toEqual([form, []]);
      });
    },
    120_000,
  );
});
