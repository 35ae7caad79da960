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
  /** An interpreter: arguments like this hold code in another language. Without any operand it reads code from its input. */
  code?: RegExp;
}

const PREFIX: Runner = { skip: 0 };
const AFTER_ONE: Runner = { skip: 1 };
const OPAQUE: Runner = { opaque: null };
const CODE_E: Runner = { code: /^(?:-[a-zA-Z]*[eEpr]|--(?:eval|print|run|execute|import|require)\b)/ };
const EDITOR: Runner = { opaque: /^[-+]|!/ };

const GIT_RUNS =
  /^(?:-c|--config-env|--exec|-x|--upload-pack|--receive-pack|-O|--open-files|--ext-diff|--extcmd|ext::|(?:foreach|filter-branch|difftool|mergetool|instaweb|run)$)/;

/** Programs that run other commands, by name. Options were taken from their manual pages. */
const RUNNERS = new Map<string, Runner>(
  [
    // Builtins and prefixes of the shell.
    ['command builtin exec nohup setsid time noglob nocorrect', PREFIX],
    ['eval trap', { lines: true }],
    ['alias', { lines: true, opaque: /=/ }],
    ['source .', { skip: 0, opaque: /^\/(?:dev|proc)\// }],
    ['compgen complete bind fc', OPAQUE],
    ['mapfile readarray', { opaque: /^-\w*C/ }],
    ['hash', { opaque: /^-\w*p/ }],
    ['enable', { opaque: /^-\w*f/ }],
    ['sh bash dash zsh ksh mksh ash fish rbash yash csh tcsh posh pwsh', { shell: true }],
    // Programs that change the user, the limits or the surroundings of another.
    ['env sudo doas', { skip: 0, assigns: true, lines: true }],
    [
      'nice ionice stdbuf unshare nsenter setpriv setarch linux32 linux64 i386 x86_64 prlimit numactl',
      PREFIX,
    ],
    ['unbuffer fakeroot dbus-run-session dbus-launch xvfb-run ssh-agent tini dumb-init catchsegv', PREFIX],
    ['busybox toybox systemd-run systemd-inhibit firejail proot bwrap torsocks torify rlwrap', PREFIX],
    ['strace ltrace valgrind caffeinate arch cpulimit trickle eatmydata chronic ifne pkexec run0', PREFIX],
    [
      'timeout gtimeout taskset chrt chroot faketime gosu su-exec setuidgid softlimit perf direnv mise',
      AFTER_ONE,
    ],
    ['flock proxychains proxychains4 retry', { skip: 1, lines: true }],
    ['su runuser script watch hyperfine entr', { skip: 0, lines: true }],
    ['ssh mosh', { skip: 1, lines: true }],
    ['expect at batch crontab parallel socat tmux screen nix-shell gdb lldb', OPAQUE],
    // Programs for other work that also run commands.
    ['git', { opaque: GIT_RUNS }],
    ['tar gtar bsdtar', { opaque: /^(?:--(?:to-c|checkpoint-a|use-c|rsh|info-s|new-volume)|-\w*[IF])/ }],
    ['rsync scp sftp', { opaque: /^(?:-\w*[eSo]|--rsh)/ }],
    ['sort', { opaque: /^--compress-p/ }],
    ['split', { opaque: /^--filt/ }],
    ['zip', { opaque: /^(?:-\w*TT|--unzip)/ }],
    ['sed gsed', { opaque: /(?:^|[^-A-Za-z0-9\s])[gpiImM0-9]*e[gpiImM0-9]*(?:$|[\s;}])|[\s\d;{$]e\s/ }],
    ['awk gawk mawk nawk', { opaque: /system|\||getline|@load/ }],
    ['fd fdfind', { opaque: /^(?:-\w*[xX]|--exec)/ }],
    ['rg', { opaque: /^(?:--pre|--hostname-bin)/ }],
    ['man', { opaque: /^(?:-\w*[PH]|--pager|--html)/ }],
    ['nc ncat netcat', { opaque: /^(?:-\w*[ec]|--(?:exec|sh-exec|lua-exec))/ }],
    ['tcpdump', { opaque: /^-\w*z/ }],
    ['make gmake ninja just', { opaque: /^--eval|^(?:SHELL|\.SHELLFLAGS)=|!=|\$\(shell/ }],
    ['docker podman kubectl oc vagrant', { opaque: /^(?:run|exec|ssh)$/ }],
    ['psql mysql mariadb sqlite3', { opaque: /\\!|\.(?:shell|system)|program|^(?:system\s|\\)/i }],
    ['vim vi nvim ex view emacs', EDITOR],
    ['ed red less more dc', { opaque: /!/ }],
    // Interpreters of other languages.
    ['python python2 python3 pypy pypy3 ipython', { code: /^-[a-zA-Z]*c/ }],
    ['node nodejs deno bun tsx ts-node perl ruby php lua luajit osascript julia R Rscript groovy', CODE_E],
    ['tclsh wish ghci irb jshell scala swift', CODE_E],
    // Programs that run one of a package or a project.
    ['npx bunx pnpx uvx pipx', PREFIX],
    ['npm pnpm yarn', { opaque: /^(?:exec|x|dlx|explore|--call|-c|--script-shell)\b/ }],
    ['uv poetry pipenv bundle rbenv pyenv conda', { skip: 1 }],
  ].flatMap(([names, runner]) => (names as string).split(' ').map((name) => [name, runner as Runner])),
);

/** Variables whose value is run, or expanded as a line would be. */
const RUN_BY_NAME =
  /^(?:BASH_ENV|ENV|PS[0-4]|PROMPT_COMMAND|BASH_FUNC_.*|(?:[A-Z_]*_)?(?:PAGER|EDITOR|VISUAL|BROWSER|ASKPASS)|[A-Z_]*_(?:COMMAND|RSH)|LESS(?:OPEN|CLOSE)|GIT_(?:SSH|EXTERNAL_DIFF|CONFIG.*|EXEC_PATH|TEMPLATE_DIR)|PERL5(?:OPT|DB)|RUBYOPT|NODE_OPTIONS|PYTHON(?:STARTUP|WARNINGS|BREAKPOINT)|MAKEFLAGS|TAR_OPTIONS|FZF_DEFAULT_OPTS)$/;

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
  if (runner.assigns && args.some((arg) => isRunVariable(/^(\w+)=/.exec(arg)?.[1] ?? '')))
    found.hidden = `${name} sets a variable that names a command`;
  if (runner.lines) found.lines = linesIn(name, args);
  if (runner.code) found.hidden = hiddenCode(name, args, runner.code);
  if (runner.opaque !== undefined) {
    const trigger = runner.opaque;
    found.unexpected = trigger !== null;
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
    return [/^--[\w-]+=([\s\S]*)$/.exec(arg)?.[1], /^-[a-zA-Z]([\s\S]+)$/.exec(arg)?.[1]].filter(
      (each) => each !== undefined,
    );
  });
  const isSingle = ['env', 'sudo', 'doas'].includes(name);
  return isSingle ? values.filter((value) => /\s/.test(value)) : [...values, args.join(' ')];
}

function hiddenCode(name: string, args: readonly string[], code: RegExp): string | null {
  if (args.length > 0 && args.every((arg) => /^(?:--?version|-[vVh]|--help)$/.test(arg))) return null;
  const operand = args.findIndex((arg) => !arg.startsWith('-'));
  const options = operand === -1 ? args : args.slice(0, operand);
  if (options.some((option) => code.test(option)) || args[operand] === 'eval')
    return `${name} runs code in its arguments`;
  return operand === -1 ? `${name} runs code that it reads` : null;
}

function runByShell(name: string, args: readonly string[], input: string | null): RunByArguments {
  const operands = args.filter((arg) => !/^[-+]./.test(arg));
  const takesLine = args.some((arg) => /^-\w*c/.test(arg) || /^--command\b/.test(arg));
  const base = { commands: [], unexpected: false };
  if (takesLine) return { ...base, lines: [...operands, ...linesIn(name, args)], hidden: null };
  if (operands.length === 0 || args.some((arg) => /^-\w*s/.test(arg)))
    return input === null
      ? { ...base, lines: [], hidden: `${name} runs what it reads` }
      : { ...base, lines: [input], hidden: null };
  return { ...base, commands: afterOptions(args), lines: [], hidden: hiddenScript(name, operands) };
}

/** A script in a file is a program like any other. One in a device or a descriptor comes from the line itself. */
function hiddenScript(name: string, [file = '']: readonly string[]): string | null {
  return /^\/(?:dev|proc)\//.test(file) ? `${name} runs what it reads` : null;
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
