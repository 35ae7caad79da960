import { readdirSync, readFileSync, realpathSync } from 'node:fs';

/** A mount of this machine, with the path in its file system that is mounted. Paths are as the kernel writes them. */
interface HostMount {
  device: string;
  root: string;
  point: string;
}

/**
 * Compares the mounts of the sandbox with those that were planned, and becomes the command. Bubblewrap resolves the names of what it mounts
 * itself, and a process of the session may exchange a name for a link at that moment. A mount stays what it is, whatever becomes of its
 * name, so this check holds for as long as the command runs. Only built-in commands are used. Arguments: the devices of this machine,
 * those of control groups, planned mounts, `-`, mounts that may come with them, `-`, the command.
 */
const VERIFY = `
nl='
'
devices=" $1 "
groups=" $2 "
shift 2
planned=$nl
while [ "$1" != - ]; do planned="$planned$1$nl"; shift; done
shift
known=$planned
while [ "$1" != - ]; do known="$known$1$nl"; shift; done
shift
refuse() {
  echo "The command was not started: $1 while its sandbox was set up. Run it again when nothing else changes its folders." >&2
  exit 126
}
found=$nl
while read -r id parent device root point options rest; do
  case $options in ro|ro,*) mode=ro ;; *) mode=rw ;; esac
  case $groups in *" $device "*) root=- ;; esac
  case $devices in
    *" $device "*)
      case $known in
        *"$nl$mode $device $root $point$nl"*|*"$nl""any $device $root $point$nl"*) ;;
        *) refuse "$root was mounted at $point" ;;
      esac
      found="$found$mode $device $root $point$nl""any $device $root $point$nl" ;;
    *) found="$found""new $point$nl" ;;
  esac
done </proc/self/mountinfo
set -f
IFS=$nl
for line in $planned; do
  case $found in *"$nl$line$nl"*) ;; *) refuse "\${line##* } was replaced" ;; esac
done
exec "$@"`;

/** The command that runs in a sandbox with these options of bubblewrap: the check, and then the command itself. */
export function verifiedCommand(options: readonly string[], command: readonly string[]): string[] {
  const host = hostMounts();
  const { planned, carried } = expectedMounts(options, host);
  const devices = [...new Set(host.map(({ device }) => device))].join(' ');
  const groups = host.flatMap(({ device, root }) => (root === ANY_ROOT ? [device] : [])).join(' ');
  return ['/bin/sh', '-c', VERIFY, 'sh', devices, groups, ...planned, '-', ...carried, '-', ...command];
}

/** What mounts of bubblewrap look like in the sandbox, and the mounts below them that come along. */
function expectedMounts(
  options: readonly string[],
  host: readonly HostMount[],
): { planned: string[]; carried: string[] } {
  const planned = new Set<string>();
  const carried = new Set<string>(deviceFiles(host));
  for (let at = 0; at < options.length; at++) {
    const option = options[at];
    const [first = '', second = ''] = options.slice(at + 1);
    if (option === '--tmpfs') planned.add(`new ${escaped(first)}`);
    if (option === undefined || !BINDS.has(option)) continue;
    // Only folders of the system are links, and only those may be missing.
    const real = option === '--ro-bind-try' ? realPathOrNull(first) : first;
    if (real === null) continue;
    const [source, target] = [escaped(real), escaped(second)];
    const { device, root } = identityOf(source, host);
    planned.add(`${option === '--bind' ? 'any' : 'ro'} ${device} ${root} ${target}`);
    for (const mount of host)
      if (mount.point !== source && isBelow(source, mount.point))
        carried.add(`any ${mount.device} ${mount.root} ${rebased(mount.point, source, target)}`);
  }
  return { planned: [...planned], carried: [...carried] };
}

const BINDS: ReadonlySet<string> = new Set(['--bind', '--ro-bind', '--ro-bind-try']);

/** What bubblewrap shows in the /dev of a sandbox. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

function deviceFiles(host: readonly HostMount[]): string[] {
  const show = (path: string, at: string) => {
    const { device, root } = identityOf(path, host);
    return `any ${device} ${root} ${at}`;
  };
  // Its own terminal, if it has one.
  const terminals = namesIn('/dev/pts').map((name) => show(`/dev/pts/${name}`, '/dev/console'));
  return [...DEVICES.map((name) => show(`/dev/${name}`, `/dev/${name}`)), ...terminals];
}

/** The file system that a path of this machine is in, and its path there. */
function identityOf(path: string, host: readonly HostMount[]): Pick<HostMount, 'device' | 'root'> {
  let found: HostMount | undefined;
  // Of mounts at the same point the last one is seen.
  for (const mount of host)
    if (isBelow(mount.point, path) && mount.point.length >= (found?.point.length ?? 0)) found = mount;
  if (!found) return { device: 'none', root: path };
  return { device: found.device, root: rebased(path, found.point, found.root) };
}

function isBelow(folder: string, path: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

/** The path with another folder in place of the one that it is in. */
function rebased(path: string, from: string, to: string): string {
  const rest = from === '/' ? path : path.slice(from.length);
  const base = to === '/' ? '' : to;
  return `${base}${rest === '/' ? '' : rest}` || '/';
}

/** The path of a control group depends on the namespace of the reader of the list. */
const ANY_ROOT = '-';

/** In the order in which they were mounted. */
function hostMounts(): HostMount[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, , device, root, point] = line.split(' ');
    if (device === undefined || root === undefined || point === undefined) return [];
    return [{ device, root: / - cgroup2? /.test(line) ? ANY_ROOT : root, point }];
  });
}

/** As the kernel writes a path in its list of mounts. */
function escaped(path: string): string {
  return path.replace(/[ \t\n\\]/g, (each) => `\\${each.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function realPathOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
