import {
  isInput,
  isKnownAwk,
  isKnownGit,
  isKnownMake,
  isKnownPython,
  isKnownScript,
  isKnownSed,
  isKnownSqlite,
  isKnownTar,
  KNOWN_OPTIONS,
  NODE_OPTIONS,
  NPM_OPTIONS,
  readOptions,
  SSH_OPTIONS,
} from './known-options.js';
import { SEVERAL, UNKNOWN } from './unknown-text.js';

/** How a program that runs other commands names them in its arguments. */
interface Runner {
  /** The command follows the options, and this many other arguments. */
  skip?: number;
  /** `NAME=value` may precede the command. */
  assigns?: true;
  /** Arguments, or the values of its options, are lines for a shell. */
  lines?: true;
  /** Reads a script from `-c`, a file or its input. */
  shell?: true;
  /** Runs what an argument like this names, in a form that is not read here. Null: whatever its arguments are. */
  opaque?: RegExp | null;
  /** False for arguments with which it may run what is not read here: any that are not known to be harmless. */
  understood?: (args: readonly string[]) => boolean;
}

const PREFIX: Runner = { skip: 0 };
const AFTER_ONE: Runner = { skip: 1 };
const OPAQUE: Runner = { opaque: null };

/** Builtins that evaluate the names and values they are given. */
function assignsPlainly(args: readonly string[]): boolean {
  return args.every((arg) => {
    if (/^[-+]/.test(arg)) return !arg.includes('n') && !arg.includes(UNKNOWN);
    const [, name = ''] = /^([^=+[]*)/.exec(arg) ?? [];
    return !name.includes(UNKNOWN) && !isRunVariable(name) && !/\$\(|`|\[|\(|\$\{/.test(arg);
  });
}

/** Builtins that set the variables they are given. */
const setsPlainly = (args: readonly string[]) =>
  !args.some((arg) => isRunVariable(arg.replace(/^-v/, '')) || /\[.*[$`]/.test(arg));

const NPM_RUNS =
  /^(?:(?:exec|x|dlx|explore|create|config|c|pkg|set|set-script|edit)$|--call|-c|--script-shell)/;

const beforeEnd = (args: readonly string[]) =>
  args.includes('--') ? args.slice(0, args.indexOf('--')) : args;

/** `-o Name=value` as one word. */
const joinSsh = (args: readonly string[]) =>
  args.flatMap((arg, at) => (arg === '-o' ? [`-o${args[at + 1]}`] : args[at - 1] === '-o' ? [] : [arg]));

const DENO_CODE =
  /^(?:(?:eval|repl|x|exec|create|-|serve|jupyter)$|data:|https?:|npm:|jsr:|\/dev\/|\/proc\/|-[epr]|--(?:eval|print|preload|require|import|config))/;

/** Programs that run other commands, by name. Options were taken from their manual pages. */
const RUNNERS = new Map<string, Runner>(
  [
    // Builtins and prefixes of the shell.
    ['command builtin exec nohup setsid time noglob nocorrect', PREFIX],
    ['eval trap', { lines: true }],
    ['alias', { lines: true, opaque: /=/ }],
    ['source .', { skip: 0, opaque: /^\/(?:dev|proc)\// }],
    ['compgen complete bind fc', OPAQUE],
    ['declare typeset local readonly export', { understood: assignsPlainly }],
    ['read printf getopts unset', { understood: setsPlainly }],
    ['mapfile readarray', { opaque: /^-\w*C/, understood: setsPlainly }],
    ['hash', { opaque: /^-\w*p/ }],
    ['enable', { opaque: /^-\w*f/ }],
    ['sh bash dash zsh ksh mksh ash fish rbash yash csh tcsh posh', { shell: true }],
    // Programs that change the user, the limits or the surroundings of another.
    ['env sudo doas', { skip: 0, assigns: true, lines: true }],
    [
      'nice ionice stdbuf unshare nsenter setpriv setarch linux32 linux64 i386 x86_64 prlimit numactl',
      PREFIX,
    ],
    ['unbuffer fakeroot dbus-run-session dbus-launch xvfb-run ssh-agent tini dumb-init catchsegv', PREFIX],
    ['choom uclampset openvt systemd-cat daemonize', PREFIX],
    ['busybox toybox systemd-run systemd-inhibit firejail proot bwrap torsocks torify rlwrap', PREFIX],
    ['strace ltrace valgrind caffeinate arch cpulimit trickle eatmydata chronic ifne pkexec run0', PREFIX],
    [
      'timeout gtimeout taskset chrt chroot faketime gosu su-exec setuidgid softlimit perf direnv mise',
      AFTER_ONE,
    ],
    ['logsave', AFTER_ONE],
    ['flock sg proxychains proxychains4 retry', { skip: 1, lines: true }],
    ['su capsh runuser script watch hyperfine entr', { skip: 0, lines: true }],
    [
      'ssh mosh',
      {
        skip: 1,
        lines: true,
        understood: (args: readonly string[]) => readOptions(joinSsh(args), SSH_OPTIONS) !== null,
      },
    ],
    ['expect at batch crontab parallel socat tmux screen nix-shell gdb lldb', OPAQUE],
    ['pwsh start-stop-daemon run-parts sftp psql mysql mariadb vim vi nvim ex view emacs ed red dc', OPAQUE],
    // Programs for other work that also run commands.
    ['git', { understood: isKnownGit }],
    ['tar gtar bsdtar', { understood: isKnownTar }],
    ['sed gsed', { understood: isKnownSed }],
    ['awk gawk mawk nawk', { understood: isKnownAwk }],
    ['make gmake', { understood: isKnownMake }],
    ['sqlite3', { understood: isKnownSqlite }],
    ['patch', { opaque: /^(?:-\w*e|--e)/ }],
    ['ip', { opaque: /^(?:netn?s?$|vrf?$|-b|-force$)/ }],
    ['cargo', { opaque: /^(?:--config|-Z)/ }],
    ['go', { opaque: /^--?(?:exec|toolexec|vettool|overlay|ldflags|gcflags|modfile)/ }],
    ['openssl', { opaque: /^-(?:engine|provider)/ }],
    ['fd fdfind', { opaque: /^(?:-\w*[xX]|--exec)/ }],
    ['rg', { opaque: /^(?:--pre|--hostname-bin)/ }],
    ['nc ncat netcat', { opaque: /^(?:-\w*[ec]|--[esl])/ }],
    ['docker podman kubectl oc vagrant', { opaque: /^(?:run|exec|ssh)$/ }],
    // Interpreters of other languages.
    ['python python2 python3 pypy pypy3 ipython', { understood: isKnownPython }],
    ['node nodejs tsx', { understood: (args: readonly string[]) => isKnownScript(args, NODE_OPTIONS) }],
    ['deno bun', { opaque: DENO_CODE, understood: (args: readonly string[]) => args.length > 0 }],
    ['perl ruby', { understood: (args: readonly string[]) => isKnownScript(args, { flags: 'wWcT' }) }],
    [
      'php lua luajit osascript julia R Rscript groovy ts-node tclsh wish ghci irb jshell scala swift guile',
      { understood: (args: readonly string[]) => isKnownScript(args, {}) },
    ],
    // Programs that run one of a package or a project.
    ['npx bunx pnpx uvx pipx', PREFIX],
    [
      'npm',
      {
        opaque: NPM_RUNS,
        understood: (args: readonly string[]) => readOptions(beforeEnd(args), NPM_OPTIONS) !== null,
      },
    ],
    ['pnpm yarn', { opaque: NPM_RUNS }],
    ['uv poetry pipenv bundle rbenv pyenv conda', { skip: 1 }],
    ...KNOWN_OPTIONS.map(([names, known]) => [
      names,
      { understood: (args: readonly string[]) => readOptions(args, known) !== null },
    ]),
  ].flatMap(([names, runner]) => (names as string).split(' ').map((name) => [name, runner as Runner])),
);

/** Variables whose value is run, expanded as a line would be, or says where programs, options or settings are found. */
const RUN_BY_NAME = new RegExp(
  `^(?:${[
    'BASH_(?:ENV|CMDS|ALIASES|FUNC_.*)|ENV|PS[0-4]|PROMPT_COMMAND|SHELL|SHELLOPTS|BASHOPTS|PATH|HOME|XDG_CONFIG_.*|ZDOTDIR|INPUTRC',
    '(?:[A-Z_]*_)?(?:PAGER|EDITOR|VISUAL|BROWSER|ASKPASS)|[A-Z_]*_(?:COMMAND|RSH)|LESS.*|MORE|MAN.*',
    'LD_.*|DYLD_.*|GIT_(?!(?:AUTHOR|COMMITTER)_|TERMINAL_PROMPT$).*|SSH_.*|RSYNC_.*|TAR_OPTIONS|ZIPOPT|FZF_DEFAULT_.*',
    'CC|CXX|CPP|LD|AR|AS|FC|RUSTC.*|RUSTFLAGS|CARGO_(?:TARGET|BUILD|ALIAS).*|GOFLAGS|(?:C|CXX|CPP|LD|M|MAKE|GNUMAKE)FLAGS|MAKEFILES|CMAKE_.*',
    'PERL5.*|RUBY(?:OPT|LIB)|NODE_OPTIONS|PYTHON(?!PATH$|UNBUFFERED$|DONTWRITEBYTECODE$|HASHSEED$|IOENCODING$|UTF8$).*|_?JAVA_.*OPTIONS',
  ].join('|')}|npm_config_.*|NPM_CONFIG_.*)$`,
);

export const isRunVariable = (name: string): boolean => RUN_BY_NAME.test(name);

/** What the arguments of one command run. */
export interface RunByArguments {
  commands: Iterable<string[]>;
  lines: readonly string[];
  /** Why not all of it is in `commands` and `lines`. */
  hidden: string | null;
  /** True for a program whose users do not expect it to run others, such as `find`. */
  unexpected: boolean;
}

/** The name of a program without its folder. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** True if the program may run other commands that its arguments or its input name. */
export function runsOthers(name: string): boolean {
  return name === 'find' || name === 'xargs' || runnerOf(name) !== undefined;
}

function runnerOf(name: string): Runner | undefined {
  if (/^ld-(?:linux|musl).*\.so/.test(name)) return PREFIX;
  return RUNNERS.get(name) ?? RUNNERS.get(name.replace(/[-.\d]+$/, ''));
}

/** `input`: the text that the command reads, if the line contains it. Null for a program that runs no others. */
export function runByArguments(
  [word = '', ...args]: readonly string[],
  input: string | null,
): RunByArguments | null {
  const name = programName(word);
  if (name === 'find' || name === 'gfind') return runByFind(args);
  if (name === 'xargs' || name === 'gxargs') return runByXargs(args);
  const runner = runnerOf(name);
  if (!runner) return null;
  if (runner.shell) return runByShell(name, args, input);
  const found: RunByArguments = { commands: [], lines: [], hidden: null, unexpected: false };
  if (name === 'command' && /^-\w*[vV]/.test(args[0] ?? '')) return found;
  if (runner.skip !== undefined) found.commands = afterOptions(args, runner.skip, runner.assigns);
  if (runner.assigns && args.some((arg) => isRunVariable(/^([^=]+)=/.exec(arg)?.[1] ?? '')))
    found.hidden = `${name} sets a variable that names a command`;
  if (runner.lines) found.lines = linesIn(name, args);
  if (runner.understood && !runner.understood(args)) {
    found.unexpected = true;
    found.hidden = `${name} may run commands by arguments that are not known to be harmless`;
  }
  if (runner.opaque !== undefined) {
    const trigger = runner.opaque;
    found.unexpected = true;
    if (trigger === null || args.some((arg) => arg === SEVERAL || trigger.test(arg)))
      found.hidden = `${name} runs commands that its arguments do not show`;
  }
  return found;
}

/**
 * Each command that the words may be once options, their values and `skip` operands are taken off. Which options take a value is
 * not known here, so every reading is given, which may be many times as long as the words.
 */
export function* afterOptions(words: readonly string[], skip = 0, assigns = false): Generator<string[]> {
  let spare = skip;
  for (const [at, word] of words.entries()) {
    if (/^[-+]./.test(word)) {
      if (!word.startsWith('--') || !word.includes('=')) spare++;
      if (word === '--') spare--;
      continue;
    }
    if (assigns && /^\w+=/.test(word)) continue;
    yield words.slice(at);
    if (spare-- <= 0) return;
  }
}

/** Arguments without the option that they are the value of. */
function linesIn(name: string, args: readonly string[]): string[] {
  if (name === 'alias') return args.map((arg) => arg.slice(arg.indexOf('=') + 1));
  const values = args.flatMap((arg) => {
    if (!arg.startsWith('-')) return [arg];
    const long = /^--[\w-]+=([\s\S]*)$/.exec(arg)?.[1];
    if (long !== undefined) return [long];
    const letters = /^-([a-zA-Z]+)/.exec(arg)?.[1] ?? '';
    // The value follows any letter of a bundle, as in `-qc'…'`.
    return Array.from(letters, (_, at) => arg.slice(at + 2)).filter((each) => each !== '');
  });
  const isSingle = ['env', 'sudo', 'doas'].includes(name);
  return isSingle ? values.filter((value) => /\s/.test(value)) : [...values, args.join(' ')];
}

const SHELL_OPTIONS = /^--(?:login|norc|noprofile|posix|version|help|verbose|command(?:=[\s\S]*)?)$/;

function runByShell(name: string, args: readonly string[], input: string | null): RunByArguments {
  const operands = args.filter((arg) => !/^[-+]./.test(arg));
  const takesLine = args.some((arg) => /^-\w*c/.test(arg) || /^--command\b/.test(arg));
  const base = { commands: [], unexpected: false };
  const startUp = args.some((arg) => /^--./.test(arg) && !SHELL_OPTIONS.test(arg))
    ? `${name} may run a file that an option names`
    : null;
  if (takesLine) return { ...base, lines: [...operands, ...linesIn(name, args)], hidden: startUp };
  if (operands.length === 0 || args.some((arg) => /^-\w*s/.test(arg)))
    return input === null
      ? { ...base, lines: [], hidden: `${name} runs what it reads` }
      : { ...base, lines: [input], hidden: startUp };
  return {
    ...base,
    commands: afterOptions(args),
    lines: [],
    hidden: startUp ?? hiddenScript(name, operands),
  };
}

/** A script in a file is a program like any other. One in a device or a descriptor comes from the line itself. */
function hiddenScript(name: string, [file = '']: readonly string[]): string | null {
  return isInput(file) ? `${name} runs what it reads` : null;
}

function runByFind(args: readonly string[]): RunByArguments {
  const commands: string[][] = [];
  for (const [at, word] of args.entries()) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word)) continue;
    const rest = args.slice(at + 1);
    const end = rest.findIndex((each) => each === ';' || each === '+');
    commands.push((end === -1 ? rest : rest.slice(0, end)).map((each) => each.replaceAll('{}', UNKNOWN)));
  }
  const hidden = args.includes(SEVERAL) ? 'an argument of find may be an action' : null;
  return { commands, lines: [], hidden, unexpected: true };
}

/** What `xargs` adds is unknown; with `-I` it replaces a text instead. */
function runByXargs(args: readonly string[]): RunByArguments {
  const at = args.findIndex((arg) => /^(?:-[IJi]|--replace)/.test(arg));
  const option = args[at] ?? '';
  const inside = /^(?:-[IJi]|--replace=)(.+)$/.exec(option)?.[1];
  const isNext = /^-[IJ]$/.test(option);
  const placeholder = inside ?? (isNext ? args[at + 1] : '{}') ?? '{}';
  const after = isNext ? at + 1 : at;
  const replaced = args.map((arg, index) => (index > after ? arg.replaceAll(placeholder, UNKNOWN) : arg));
  const commands = at === -1 ? withMore(afterOptions(args)) : afterOptions(replaced);
  return { commands, lines: [], hidden: null, unexpected: false };
}

function* withMore(commands: Iterable<string[]>): Generator<string[]> {
  for (const command of commands) {
    yield command;
    yield [...command, SEVERAL];
  }
}
