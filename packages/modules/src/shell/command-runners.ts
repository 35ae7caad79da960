import { isKnownGit } from './known-git.js';
import {
  isKnownAwk,
  isKnownMake,
  isKnownNpm,
  isKnownScript,
  isKnownSed,
  isKnownSqlite,
  isKnownSsh,
  isKnownTar,
  KNOWN_OPTIONS,
  NODE_OPTIONS,
} from './known-options.js';
import { isKnownPython, PYTHON_TOOLS } from './known-python.js';
import { isInput, readOptions } from './read-options.js';
import { isRunVariable } from './run-variables.js';
import { SEVERAL, UNKNOWN } from './unknown-text.js';

/** The shell that reads a line: `posix` for what `sh` may be, `other` for a shell with another syntax. */
export type Dialect = 'bash' | 'posix' | 'other';

/** How a program that runs other commands names them in its arguments. */
interface Runner {
  /** The command follows the options, and this many other arguments. */
  skip?: number;
  /** `NAME=value` may precede the command. */
  assigns?: true;
  /** Arguments, or the values of its options, are lines for a shell. */
  lines?: true;
  /** Reads a script from `-c`, a file or its input. */
  shell?: Dialect;
  /** Runs the code in a file that an argument names. */
  runsFiles?: true;
  /** Runs what an argument like this names, in a form that is not read here. Null: whatever its arguments are. */
  opaque?: RegExp | null;
  /** False for arguments with which it may run what is not read here: any that are not known to be harmless. */
  understood?: (args: readonly string[]) => boolean;
}

const PREFIX: Runner = { skip: 0 };
const AFTER_ONE: Runner = { skip: 1 };
/** Where the command begins depends on its options or subcommands. */
const ANYWHERE: Runner = { skip: Number.POSITIVE_INFINITY };
const OPAQUE: Runner = { opaque: null };
const script = (known = {}): Runner => ({
  runsFiles: true,
  understood: (args) => isKnownScript(args, known),
});

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
  !args.some((arg) => isRunVariable(arg.replace(/^-v/, '')) || /\[.*[$`]/.test(arg) || arg.includes(UNKNOWN));

/** `-v NAME` sets a variable. */
function printsPlainly([first = '', ...rest]: readonly string[]): boolean {
  if (isOpen(first)) return rest.length === 0 && !first.includes(SEVERAL);
  return first.startsWith('-v') ? setsPlainly([first, ...rest.slice(0, 1)]) : true;
}

const PACKAGE_RUN = {
  flags: 'yq',
  values: 'p',
  long: 'yes quiet no-install prefer-offline package= from= with= python=',
  ends: true,
} as const;
const isKnownPackageRun = (args: readonly string[]) => readOptions(args, PACKAGE_RUN)?.operands.length === 1;

/** `-v NAME` and `-R NAME` evaluate the name. */
function testsPlainly(args: readonly string[]): boolean {
  const isNamed = args.some((arg) => /^-[vR]$/.test(arg));
  return !args.some((arg, at) => isOpen(arg) && (isNamed || isOpen(args[at + 1] ?? '')));
}

const beforeEnd = (args: readonly string[]) =>
  args.includes('--') ? args.slice(0, args.indexOf('--')) : args;

const PACKAGES_RUN =
  /^(?:(?:exec|x|dlx|explore|create|init|config|c|pkg|set|set-script|edit|node)$|--call|-c|--script-shell|--shell)/;

const DENO_CODE =
  /^(?:(?:eval|repl|x|exec|create|-|serve|jupyter)$|data:|https?:|npm:|jsr:|\/dev\/|\/proc\/|-[epr]|--(?:eval|print|preload|require|import|config|shell))/;

/** Programs that run other commands, by name. What they run, and by which arguments, is taken from their manual pages. */
const RUNNERS = new Map<string, Runner>(
  (
    [
      // Builtins and prefixes of the shell.
      ['command builtin exec nohup setsid time gtime noglob nocorrect', PREFIX],
      ['eval trap', { lines: true }],
      ['alias', { lines: true, opaque: /=/ }],
      ['source .', { skip: 0, runsFiles: true, understood: ([file = '']) => !isInput(file) }],
      ['compgen complete bind fc', OPAQUE],
      ['declare typeset local readonly export', { understood: assignsPlainly }],
      ['read getopts unset', { understood: setsPlainly }],
      ['printf', { understood: printsPlainly }],
      ['test [', { understood: testsPlainly }],
      ['wait', { understood: (args) => !args.some((arg) => /^-\w*p/.test(arg)) }],
      ['mapfile readarray', { opaque: /^-\w*C/, understood: setsPlainly }],
      ['hash', { opaque: /^-\w*p/ }],
      ['enable', { opaque: /^-\w*f/ }],
      ['jobs', { opaque: /^-\w*x/ }],
      // History expansion runs earlier lines.
      [
        'set',
        { understood: (args) => !beforeEnd(args).some((arg) => isOpen(arg) || /^-\w*H|^hist/.test(arg)) },
      ],
      ['bash rbash', { shell: 'bash' }],
      ['sh dash ash ksh rksh mksh lksh oksh loksh posh hush sash', { shell: 'posix' }],
      ['zsh rzsh fish yash csh tcsh elvish nu xonsh osh ysh ion murex es rc', { shell: 'other' }],
      // Programs that change the user, the limits or the surroundings of another.
      ['env sudo doas', { skip: 0, assigns: true, lines: true }],
      ['cross-env cross-env-shell dotenv env-cmd', { ...ANYWHERE, lines: true }],
      [
        'nice ionice stdbuf unshare nsenter setpriv setarch linux32 linux64 i386 x86_64 prlimit numactl nocache niceload',
        PREFIX,
      ],
      [
        'unbuffer fakeroot fakeroot-sysv fakeroot-tcp fakeroot-ng fakechroot pseudo dbus-run-session dbus-launch ssh-agent gpg-agent tini dumb-init catchsegv sshpass',
        PREFIX,
      ],
      ['choom uclampset openvt systemd-cat daemonize cttyhack fstab-decode luit memusage sotruss', PREFIX],
      ['busybox toybox torsocks torify tsocks rlwrap chpst cgexec aa-exec run-one run-this-one', PREFIX],
      [
        'ltrace valgrind caffeinate arch cpulimit trickle eatmydata chronic ifne pkexec run0 ksu multitime zrun',
        PREFIX,
      ],
      ['tsp nq pgrphack s6-softlimit s6-applyuidgid s6-fghack s6-background', PREFIX],
      ['s6-setlock s6-setuidgid s6-envdir s6-envuidgid s6-notifyoncheck', AFTER_ONE],
      ['coresched libtool glibtool devbox devenv flox box64 box86 FEXInterpreter FEXBash', ANYWHERE],
      [
        'foreground background ifelse ifte ifthenelse backtick pipeline forx forstdin forbacktickx loopwhilex',
        ANYWHERE,
      ],
      ['emptyenv importas multidefine redirfd fdmove fdclose fdblock withstdinas tryexec', ANYWHERE],
      ['multilog s6-log', { opaque: /^!/ }],
      // Its output may be a command.
      ['strace', { ...PREFIX, opaque: /\||^-\w*[oe]|^--/ }],
      ['msgfilter msgexec inotifyd reformime popmaildir xinit debconf-apt-progress pg_virtualenv', PREFIX],
      [
        'timeout gtimeout taskset chrt chroot faketime gosu su-exec setuidgid softlimit envdir envuidgid setlock lckdo',
        AFTER_ONE,
      ],
      ['logsave runcon debconf gdbserver tcpserver tcpsvd udpsvd', AFTER_ONE],
      [
        'perf bwrap firejail proot nsjail minijail0 systemd-run systemd-inhibit systemd-nspawn schroot',
        ANYWHERE,
      ],
      [
        'direnv mise rtx asdf volta fnm nvm rustup opam nix guix xvfb-run rr uftrace heaptrack kcov',
        ANYWHERE,
      ],
      ['mpirun mpiexec srun torchrun qemu-x86_64 qemu-aarch64 wine mono csvtool', ANYWHERE],
      [
        'xterm uxterm rxvt urxvt gnome-terminal konsole alacritty kitty foot wezterm x-terminal-emulator',
        { ...ANYWHERE, lines: true },
      ],
      ['flock sg proxychains proxychains4 retry rsh rlogin', { skip: 1, lines: true }],
      ['su capsh runuser script scriptlive watch hyperfine entr pee mispipe', { skip: 0, lines: true }],
      ['concurrently nodemon onchange chokidar watchexec reflex', { ...ANYWHERE, lines: true }],
      ['ssh slogin ssh-argv0 mosh', { skip: 1, lines: true, understood: isKnownSsh }],
      ['prove newgrp execlineb irssi weechat weechat-headless weechat-curses', OPAQUE],
      ['editor sensible-editor sensible-pager sensible-browser pager xdg-open', OPAQUE],
      ['expect at batch crontab parallel sem socat tmux screen zellij dtach abduco asciinema ttyrec', OPAQUE],
      ['nix-shell gdb lldb jdb pdb autossh start-stop-daemon run-parts logrotate sbatch', OPAQUE],
      ['sftp ftp tnftp lftp ncftp telnet smbclient psql mysql mariadb mongo mongosh duckdb', OPAQUE],
      ['vim vi nvim gvim vimdiff rvim rview gview ex view emacs emacsclient ed red mg joe jed ne', OPAQUE],
      [
        'nano pico micro kak hx vipe vidir vipw vigr visudo sudoedit dc mutt neomutt mail mailx s-nail',
        OPAQUE,
      ],
      ['lynx links elinks w3m tig gitk lazygit run-mailcap see ispell aspell pwsh powershell', OPAQUE],
      ['ansible ansible-console ansible-pull salt salt-call salt-ssh puppet fab inv invoke', OPAQUE],
      ['cpan cpanm dpkg-buildpackage debuild cvs darcs fossil pm2 forever lerna nx telnetd udhcpc', OPAQUE],
      // Programs for other work that also run commands.
      ['git', { understood: isKnownGit }],
      ['hg', { understood: (args) => readOptions(args, { flags: 'vqamuA', values: 'mlr' }) !== null }],
      ['svn', { opaque: /^--(?:di|ed|co|tu)/ }],
      ['jj', { opaque: /^(?:util$|run$|fix$|--config|--tool|config$)/ }],
      ['gh', { opaque: /^(?:alias|extension|ext|codespace|cs|--)$/ }],
      ['tar gtar bsdtar', { understood: isKnownTar }],
      ['cpio pax', { opaque: /^(?:-\w*[FIO]|--(?:rs|fi|use)|.*:)/ }],
      ['sed gsed', { understood: isKnownSed }],
      ['awk gawk mawk nawk', { understood: isKnownAwk }],
      ['make gmake', { runsFiles: true, understood: isKnownMake }],
      ['make-first-existing-target dpkg-architecture', { lines: true, opaque: /^(?:-c|--com)/ }],
      ['sqlite3', { understood: isKnownSqlite }],
      ['patch', { opaque: /^(?:-\w*[eg]|--e|--g)/ }],
      ['ip', { opaque: /^(?:netn?s?$|vr?f?$|-b|-force$)/ }],
      ['bridge tc devlink', { opaque: /^(?:exec|-b)/ }],
      ['iptables ip6tables', { opaque: /^(?:-M|--mo)/ }],
      ['mount', { opaque: /fuse|#/ }],
      ['cargo', { opaque: /^(?:--config|-Z|rustc$|rustdoc$)|linker/ }],
      ['rustc rustdoc', { opaque: /linker|link-arg|backend|^-Z|^@|^--test-/ }],
      [
        'go',
        {
          opaque:
            /^(?:--?(?:exec|toolexec|vettool|overlay|ldflags|gcflags|asmflags|gccgoflags|modfile|w)|tool$|env$|bug$)/,
        },
      ],
      ['java', { opaque: /^(?:@|-XX:(?:On|Flags|VMOptions|.*Command)|-agent|-javaagent|-Xrun)/ }],
      ['javac javadoc jar jlink jpackage keytool', { opaque: /^(?:@|-J|--?processor|-Xplugin|-doclet)/ }],
      ['mvn', { opaque: /exec|antrun|^(?:-s|-gs|--settings|--global-s|-t|--toolchains)$|maven\.ext/ }],
      [
        'gradle',
        { opaque: /^(?:-[IbcDP]|--(?:init-script|build-file|settings-file|include-build|system-prop))/ },
      ],
      ['bazel', { opaque: /^--(?:run_under|shell_executable|workspace_status_command|credential_helper)/ }],
      ['meson', { opaque: /^(?:devenv$|--(?:wrapper|wrap|gdb|native-file|cross-file))/ }],
      ['ctest', { opaque: /^(?:-[SD]|--(?:build|test|script))/ }],
      ['scons', { opaque: /^(?:-[fC]|--(?:file|makefile|sconstruct|site-dir))/ }],
      ['tox nox', { skip: 1, opaque: /^(?:-[cxf]|--(?:conf|override|noxfile)|exec$|e$)/ }],
      ['coverage', { opaque: /^(?:-m|--module|--rcfile|--debug)/ }],
      ['jupyter', { opaque: /execute|console|^run$/ }],
      ['openssl', { opaque: /^(?:--?(?:engine|provider|config)|engine$)/ }],
      ['ssh-keygen ssh-add', { opaque: /^-\w*[DswS]/ }],
      ['ssh-copy-id sshfs', { opaque: /^-\w*[oFS]/ }],
      ['gpg gpg2 gpgsm', { opaque: /^--(?:ph|exec|agent-p|dirmngr|opt|home|load|keyserver-o)/ }],
      ['fd fdfind', { opaque: /^(?:-\w*[xX]|--exec)/ }],
      ['bfs', { opaque: /^-(?:exec|ok)/ }],
      ['rg', { opaque: /^(?:--pre|--hostname-bin)/ }],
      ['ack ag ugrep bat batcat delta', { opaque: /^--(?:pager|filter|config|ackrc)/ }],
      ['nc ncat netcat', { opaque: /^(?:-\w*[ec]|--[esl])/ }],
      ['nmap', { opaque: /^(?:--script|--datadir|-\w*[AC])/ }],
      ['tshark wireshark', { opaque: /^-\w*X/ }],
      ['aria2c', { opaque: /^--(?:on|conf)/ }],
      ['yt-dlp youtube-dl', { opaque: /^--(?:exec|downloader|external|config|plugin|netrc|use-p|pp|postp)/ }],
      [
        'borg restic rclone duplicity',
        { opaque: /command|^(?:-o|--(?:rsh|option|remote|config|sftp|ssh|rsync))/ },
      ],
      ['pandoc', { opaque: /^(?:-\w*[FLd]|--(?:filter|lua|defaults|pdf-engine|data-dir))/ }],
      [
        'tex latex pdftex pdflatex xetex xelatex luatex lualatex latexmk',
        { opaque: /^(?:--?(?:shell|enable|lua|e$|e=|r$|pdflatex|latex|usepretex)|\\)/ },
      ],
      ['groff troff nroff', { opaque: /^-\w*U/ }],
      ['gs ghostscript', { opaque: /NOSAFER|%pipe%/ }],
      ['convert magick mogrify identify', { opaque: /^(?:\||msl:|ephemeral:)|policy/ }],
      ['mlr', { opaque: /system|exec|\|/ }],
      [
        'rpm rpmbuild rpmquery rpmspec rpmkeys rpmsign rpmdb',
        { runsFiles: true, opaque: /^(?:-\w*[DE]|--(?:ev|pi|de|lo|ma|rc))/ },
      ],
      [
        'fzf fzf-tmux sk sk-tmux',
        { opaque: /^(?:-\w*[bci]|--(?:preview|bind|with-shell|listen|cmd|interactive))/ },
      ],
      ['ld ld.bfd ld.gold ld.lld gold nm ar ranlib', { opaque: /^(?:--?plugin|@)/ }],
      ['mpv', { opaque: /^--?(?:script|input|config|include|ytdl)/ }],
      ['gimp blender', { opaque: /^(?:-[bPyc]|--(?:batch|python|enable-autoexec|command))/ }],
      ['libreoffice soffice', { opaque: /^(?:macro:|vnd\.sun)/ }],
      [
        'qemu-system-x86_64 qemu-system-aarch64 qemu-system-arm qemu-system-i386',
        { opaque: /script=|exec:/ },
      ],
      ['systemctl', { opaque: /^edit$/ }],
      ['zig nim', { runsFiles: true, opaque: /^--eval/ }],
      ['xdotool', { opaque: /^exec$/ }],
      [
        'docker docker-compose podman podman-compose nerdctl buildah ctr crictl kubectl oc vagrant lxc incus virsh machinectl flatpak snap distrobox toolbox multipass limactl adb',
        { opaque: /^(?:run|exec|ssh|shell|enter|debug|create|launch|edit|exec-out|exec-in|--kubeconfig.*)$/ },
      ],
      ['helm', { opaque: /^(?:plugin$|--post-renderer|--kubeconfig)/ }],
      // Interpreters of other languages.
      ['python python2 python3 pypy pypy3 ipython', { runsFiles: true, understood: isKnownPython }],
      ['node nodejs tsx', script(NODE_OPTIONS)],
      [
        'deno bun',
        { ...ANYWHERE, runsFiles: true, opaque: DENO_CODE, understood: (args) => args.length > 0 },
      ],
      ['perl ruby', script({ flags: 'wWcT' })],
      [
        'php lua luajit osascript julia Rscript groovy ts-node tclsh guile m4 gm4 gnuplot octave raku',
        script(),
      ],
      ['sbcl clisp racket gosh csi gsi escript ocaml runghc runhaskell dart jrunscript qjs', script()],
      ['crystal', { ...script(), opaque: /^(?:eval|interactive|i|play)$/ }],
      [
        'R ghci ghc irb jshell scala swift wish erl iex elixir mix clojure clj bb lein sbt kotlin utop',
        OPAQUE,
      ],
      ['bpython ptpython pydoc pry psysh swipl gforth maxima gp sage scilab bpftrace stap dtrace d8', OPAQUE],
      // Programs that run one of a package or a project.
      ['npx bunx pnpx uvx pipx', { skip: 0, lines: true, understood: isKnownPackageRun }],
      ['npm', { understood: isKnownNpm }],
      ['pnpm yarn', { ...ANYWHERE, opaque: PACKAGES_RUN }],
      [
        'uv poetry pipenv pdm hatch rye pixi bundle rbenv pyenv conda mamba stack cabal',
        { ...ANYWHERE, opaque: /^-$/ },
      ],
      [
        'gem composer rake brew',
        {
          opaque:
            /^(?:(?:exec|open|run|run-script|global|sh|ruby|irb|edit)$|-[eErRpf]|--(?:exec|req|lib|rakefile))/,
        },
      ],
      ...[...KNOWN_OPTIONS, ...PYTHON_TOOLS].map(([names, known]): [string, Runner] => [
        names,
        { understood: (args) => readOptions(args, known) !== null },
      ]),
    ] satisfies [string, Runner][]
  ).flatMap(([names, runner]) => names.split(' ').map((name): [string, Runner] => [name, runner])),
);

/** What the arguments of one command run. */
export interface RunByArguments {
  commands: Iterable<string[]>;
  lines: readonly string[];
  /** What reads the lines; null: the shell that reads the command. */
  dialect: Dialect | null;
  /** Files whose code it may run. */
  files: readonly string[];
  /** Why not all of it is in `commands` and `lines`. */
  hidden: string | null;
  /** True for a program whose users do not expect it to run others, such as `find`. */
  unexpected: boolean;
}

const NOTHING: RunByArguments = {
  commands: [],
  lines: [],
  dialect: null,
  files: [],
  hidden: null,
  unexpected: false,
};

/** The name of a program without its folder. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** True if the program may run other commands that its arguments or its input name. */
export function runsOthers(name: string): boolean {
  return name === 'find' || name === 'xargs' || runnerOf(name) !== undefined;
}

/** Also by a name with a version, a variant or the machine it is for, such as `python3.12`, `vim.tiny`, `x86_64-linux-gnu-gcc`. */
function runnerOf(name: string): Runner | undefined {
  if (/^ld(?:-(?:linux|musl|x86).*)?\.so/.test(name)) return PREFIX;
  if (/^(?:cpp|c89|c99)(?:-gcc)?$/.test(name)) return RUNNERS.get('gcc');
  const bare = name.replace(/^\w+-linux-\w+-/, '');
  return (
    RUNNERS.get(name) ??
    RUNNERS.get(bare) ??
    RUNNERS.get(bare.replace(/[-.\d]+$/, '')) ??
    RUNNERS.get(bare.replace(/(?:[.\d].*|-(?:static|nox|tiny|basic|gtk|dbg|multiarch).*)$/, ''))
  );
}

/** The word may become an option, a subcommand or several words when the line runs. */
const isOpen = (arg: string): boolean => arg.includes(SEVERAL) || /^[^/=:]*\uE000/.test(arg);

/** `input`: the text that the command reads, if the line contains it. Null for a program that runs no others. */
export function runByArguments(
  [word = '', ...args]: readonly string[],
  input: string | null,
): RunByArguments | null {
  const name = programName(word);
  if (name === 'find' || name === 'gfind') return runByFind(args);
  if (name === 'xargs' || name === 'gxargs') return runByXargs(args);
  // The programs of git's own folder.
  if (/^git-./.test(name) && !RUNNERS.has(name))
    return runByArguments(['git', name.slice(4), ...args], input);
  const runner = runnerOf(name);
  if (!runner) return null;
  if (runner.shell) return runByShell(name, args, input, runner.shell);
  const found: RunByArguments = { ...NOTHING };
  if (name === 'command' && /^-\w*[vV]/.test(args[0] ?? '')) return found;
  if (runner.runsFiles) found.files = args;
  if (runner.skip !== undefined) found.commands = afterOptions(args, runner.skip, runner.assigns);
  if (runner.assigns && args.some((arg) => isRunVariable(/^([^=]+)=/.exec(arg)?.[1] ?? '')))
    found.hidden = `${name} sets a variable that names a command`;
  // It has other escapes than a shell, and expands variables.
  if (name === 'env' && args.some(isSplit) && /[\\$]/.test(args.join(' ')))
    found.hidden = 'env splits a text that is not plain';
  if (runner.lines) {
    found.lines = linesIn(name, args);
    found.dialect = ['eval', 'trap', 'alias'].includes(name) ? null : 'posix';
  }
  if (runner.understood && !runner.understood(args)) {
    found.unexpected = true;
    found.hidden = `${name} may run commands by arguments that are not known to be harmless`;
  }
  if (runner.opaque !== undefined) {
    const trigger = runner.opaque;
    found.unexpected = true;
    if (trigger === null || args.some((arg) => isOpen(arg) || trigger.test(arg)))
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
    // A lone dash is an option of `env`: an empty environment.
    if (/^[-+]./.test(word) || word === '-') {
      if (!word.startsWith('--') || !word.includes('=')) spare++;
      if (word === '--') spare--;
      continue;
    }
    if (assigns && /^\w+=/.test(word)) continue;
    yield words.slice(at);
    if (spare-- <= 0) return;
  }
}

/** The option of `env` that takes a command as one text, in every spelling. */
const isSplit = (arg: string): boolean => /^(?:-\w*S|--s)/.test(arg);

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
  if (name === 'env' && args.some(isSplit)) return values;
  const isSingle = ['env', 'sudo', 'doas'].includes(name);
  return isSingle ? values.filter((value) => /\s/.test(value)) : [...values, args.join(' ')];
}

const SHELL_OPTIONS = /^--(?:login|norc|noprofile|posix|version|help|verbose|command(?:=[\s\S]*)?)$/;

function runByShell(
  name: string,
  args: readonly string[],
  input: string | null,
  dialect: Dialect,
): RunByArguments {
  const operands = args.filter((arg) => !/^[-+]./.test(arg));
  const takesLine = args.some((arg) => /^-\w*c/.test(arg) || /^--command\b/.test(arg));
  const base = { ...NOTHING, dialect, files: operands };
  const startUp = args.some(
    (arg) => /^-/.test(arg) && !SHELL_OPTIONS.test(arg) && (/^--./.test(arg) || isOpen(arg)),
  )
    ? `${name} may run a file that an option names`
    : args.some((arg) => /^hist(?:ory|expand)$|^-\w*H/.test(arg))
      ? `${name} may run earlier lines`
      : null;
  if (takesLine) return { ...base, lines: [...operands, ...linesIn(name, args)], hidden: startUp };
  if (operands.length === 0 || args.some((arg) => /^-\w*s/.test(arg)))
    return input === null
      ? { ...base, hidden: `${name} runs what it reads` }
      : { ...base, lines: [input], hidden: startUp };
  return { ...base, commands: afterOptions(args), hidden: startUp ?? hiddenScript(name, operands) };
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
    const end = rest.findIndex((each, index) => each === ';' || (each === '+' && rest[index - 1] === '{}'));
    commands.push((end === -1 ? rest : rest.slice(0, end)).map((each) => each.replaceAll('{}', UNKNOWN)));
  }
  const open = args.filter((arg) => isOpen(arg));
  // An action needs its name and its end.
  const isAction = open.length > 1 || args.some((arg) => arg === ';' || arg === '+');
  const mayAct = open.some((arg) => arg.includes(SEVERAL)) || (open.length > 0 && isAction);
  const writes = args.some((arg) => /^-(?:delete|fls|fprint0?|fprintf)$/.test(arg));
  const hidden = mayAct
    ? 'an argument of find may be an action'
    : writes
      ? 'find deletes or writes files'
      : null;
  return { ...NOTHING, commands, hidden, unexpected: true };
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
  const isBundled = args.some((arg, index) => index !== at && /^-\w*[IJi]|^--re/.test(arg));
  const isUnknown = args.some((arg) => arg.startsWith('-') && isOpen(arg));
  const hidden = isBundled || isUnknown ? 'xargs may replace another text' : null;
  return { ...NOTHING, commands, hidden };
}

function* withMore(commands: Iterable<string[]>): Generator<string[]> {
  for (const command of commands) {
    yield command;
    yield [...command, SEVERAL];
  }
}
