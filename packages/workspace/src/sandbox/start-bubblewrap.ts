import { accessSync, constants } from 'node:fs';
import { systemCallFilterPath } from './system-call-filter.js';
import { unnamedFile } from './unnamed-file.js';
import { verifiedCommand } from './verify-mounts.js';

/**
 * Closes what this process inherited and node does not close: a descriptor of a folder would be a way out. Then opens the filter and the
 * file of options, which are the first two arguments, and becomes bubblewrap, which closes both before the command runs. A plain shell may
 * know descriptors of one digit only; where there are others and no bash, nothing runs. With its options here, bash reads no file
 * first, also where it takes our pipe for a remote login.
 */
const closeAll = (pattern: string, otherwise: string) => `
for amplifier_path in /proc/self/fd/*; do
  amplifier_fd=\${amplifier_path##*/}
  case $amplifier_fd in
    [0-2]) ;;
    ${pattern}) eval "exec $amplifier_fd>&-" ;;
    *) if [ "$amplifier_fd" = '*' ] || [ -L "$amplifier_path" ]; then ${otherwise}; fi ;;
  esac
done
amplifier_options=$1
shift
exec "$@" 8<"$amplifier_options" 9<"$0"`;
const REFUSE = `echo "The command was not started: the inherited descriptor $amplifier_fd cannot be closed. Install bash, or start Amplifier without it." >&2; exit 126`;
const WITH_BASH = closeAll('[3-9]|[1-9][0-9]*', REFUSE);
const WITH_FILTER = closeAll(
  '[3-9]',
  `for amplifier_bash in /bin/bash /usr/bin/bash; do [ ! -x $amplifier_bash ] || [ "$amplifier_fd" = '*' ] || exec $amplifier_bash --norc -p -c '${WITH_BASH.replaceAll("'", "'\\''")}' "$0" "$@"; done; ${REFUSE}`,
);

/** The number of `keyctl`. */
const KEYCTL: Readonly<Record<string, number>> = { x64: 250, arm64: 219 };

/**
 * Leaves the session keyring of the person, and becomes the program that is given. All commands join one keyring by its name, which
 * its permissions allow, because each keyring counts against a small quota of the user. A kernel or container that does not let us join
 * refuses key calls to the command as well, and so does the filter: the result does not matter.
 */
const JOIN_KEYRING = `my ($call, $name) = (shift(@ARGV) + 0, "amplifier-sandbox");
syscall($call, 1, $name) == -1 or syscall($call, 5, -3, 0x3f1b0000);
exec { $ARGV[0] } @ARGV or print(STDERR "$ARGV[0]: $!\\n"), exit 127;`;

/** Only where the system keeps it: no session may choose what runs here. Plain Debian has it; the programs of keyutils are optional. */
const PERL = '/usr/bin/perl';

let joinKeyring: readonly string[] | null = null;

function keyringPrefix(): readonly string[] {
  joinKeyring ??=
    KEYCTL[process.arch] && hasPerl() ? [PERL, '-e', JOIN_KEYRING, `${KEYCTL[process.arch]}`] : [];
  return joinKeyring;
}

function hasPerl(): boolean {
  try {
    accessSync(PERL, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * How to run a command with options of bubblewrap. The options are read from a file: the command sees the arguments of the bubblewrap that runs
 * it, and the options name folders that it may not know of, such as those of other tenants. The command sees its mounts in any case, so
 * those are among the arguments. `close` when the command has ended. Throws where there is no filter for system calls.
 */
export function startBubblewrap(
  program: string,
  options: readonly string[],
  command: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const { outside, acting } = splitEnvironment(env);
  const filter = systemCallFilterPath();
  const { path, close } = unnamedFile(Buffer.from(options.map((option) => `${option}\0`).join('')));
  const inside = verifiedCommand(options, withVariables(acting, command));
  const start = [...keyringPrefix(), program, '--seccomp', '9', '--args', '8', '--', ...inside];
  const argv = ['/bin/sh', '-c', WITH_FILTER, filter, path, ...start];
  return { argv: argv as [string, ...string[]], env: outside, close };
}

/**
 * Variables that the loader, the C library, a shell or perl act on. They are for the command alone: the programs above run outside of
 * the sandbox, and what a variable names may be a file that a session wrote.
 */
const ACTING =
  /^(LD_.*|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH|MUSL_LOCPATH|MALLOC_.*|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TZDIR|BASH.*|SHELLOPTS|SHLVL|ENV|PS[0-9]|IFS|FPATH|CDPATH|GLOBIGNORE|PERL.*)$/s;

/** What bubblewrap and the programs around it get of the environment of a command, and the assignments that are for the command alone. */
function splitEnvironment(env: Readonly<Record<string, string>>): {
  outside: Record<string, string>;
  acting: string[];
} {
  const entries = Object.entries(env);
  return {
    outside: Object.fromEntries(entries.filter(([name]) => !ACTING.test(name))),
    acting: entries.filter(([name]) => ACTING.test(name)).map(([name, value]) => `${name}=${value}`),
  };
}

/** The shell is for a program whose name would be taken for an assignment. */
function withVariables(assignments: readonly string[], command: readonly string[]): readonly string[] {
  if (assignments.length === 0) return command;
  const isPlain = !command[0]?.includes('=');
  return [
    '/usr/bin/env',
    ...assignments,
    ...(isPlain ? [] : ['/bin/sh', '-c', 'exec "$0" "$@"']),
    ...command,
  ];
}
