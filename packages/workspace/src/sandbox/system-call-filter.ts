import { type UnnamedFile, unnamedFile } from './unnamed-file.js';

/** Which calls a rule refuses. Only the lower 32 bits of an argument are compared: the kernel reads no more of these. */
type Condition =
  | { argument: number; equals: readonly number[] }
  | { argument: number; differsFrom: readonly number[] }
  | { argument: number; hasBits: number };

interface Rule {
  /** The number of the call on x86-64 and on arm64; null where it does not exist. */
  call: readonly [x64: number | null, arm64: number | null];
  /** Default `EPERM`. */
  errno?: number;
  when?: Condition;
}

const EPERM = 1;
/** For calls that programs do without where the kernel is older. */
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const both = (number: number) => [number, number] as const;
/** Calls that came after the tables of the architectures were made the same. */
const range = (first: number, last: number, rest: Omit<Rule, 'call'> = {}): Rule[] =>
  Array.from({ length: last - first + 1 }, (_, index) => ({ call: both(first + index), ...rest }));

/** Every namespace but time, whose bit is part of the signal number in `clone`: bubblewrap forbids user namespaces, older ones do not. */
const NEW_NAMESPACES = 0x7e02_0000;

/**
 * What no confined command needs and what reaches beyond its files, processes and network, or has a record of defects in the
 * kernel. Everything else is allowed. `docs/workspace.md` lists what does not work for it.
 */
const RULES: readonly Rule[] = [
  // Keys: the session keyring is inherited, and belongs to the person.
  { call: [248, 217] }, // add_key
  { call: [249, 218] }, // request_key
  { call: [250, 219] }, // keyctl
  // Memory and handles of other processes.
  { call: [101, 117] }, // ptrace
  { call: [310, 270] }, // process_vm_readv
  { call: [311, 271] }, // process_vm_writev
  { call: [312, 272] }, // kcmp
  { call: both(438) }, // pidfd_getfd
  // Mounts, roots and namespaces.
  { call: [165, 40] }, // mount
  { call: [166, 39] }, // umount2
  { call: [155, 41] }, // pivot_root
  { call: [161, 51] }, // chroot
  { call: [308, 268] }, // setns
  ...range(428, 433), // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick
  { call: both(442) }, // mount_setattr
  { call: both(467) }, // open_tree_attr
  { call: [304, 265] }, // open_by_handle_at
  { call: [272, 97], when: { argument: 0, hasBits: NEW_NAMESPACES | 0x80 } }, // unshare
  { call: [56, 220], when: { argument: 0, hasBits: NEW_NAMESPACES } }, // clone
  { call: both(435), errno: ENOSYS }, // clone3: its flags cannot be looked at, and libraries fall back to clone
  // Parts of the kernel that run programs or orders on behalf of a process.
  ...range(425, 427, { errno: ENOSYS }), // io_uring_setup, io_uring_enter, io_uring_register
  { call: [321, 280] }, // bpf
  { call: [298, 241] }, // perf_event_open
  { call: [323, 282] }, // userfaultfd
  { call: [212, 18] }, // lookup_dcookie
  // The machine.
  { call: [246, 104] }, // kexec_load
  { call: [320, 294] }, // kexec_file_load
  { call: [175, 105] }, // init_module
  { call: [313, 273] }, // finit_module
  { call: [176, 106] }, // delete_module
  { call: [167, 224] }, // swapon
  { call: [168, 225] }, // swapoff
  { call: [169, 142] }, // reboot
  { call: [103, 116] }, // syslog
  { call: [163, 89] }, // acct
  { call: [179, 60] }, // quotactl
  { call: both(443) }, // quotactl_fd
  { call: [180, 42] }, // nfsservctl
  { call: [172, null] }, // iopl
  { call: [173, null] }, // ioperm
  { call: [134, null] }, // uselib
  { call: [156, null] }, // _sysctl
  // Linux, a 32-bit machine name, addresses without randomness, and the question which it is.
  {
    call: [135, 92], // personality
    when: { argument: 0, differsFrom: [0, 0x8, 0x2_0000, 0x2_0008, 0x4_0000, 0xffff_ffff] },
  },
  // Text typed into the terminal of another process: TIOCSTI and TIOCLINUX.
  { call: [16, 29], when: { argument: 1, equals: [0x5412, 0x541c] } }, // ioctl
  // AF_VSOCK reaches the host of a virtual machine whatever the network namespace; AF_ALG is the kernel's cryptography.
  { call: [41, 198], errno: EAFNOSUPPORT, when: { argument: 0, equals: [38, 40] } }, // socket
];

/** As the kernel knows them (AUDIT_ARCH), with the column of the table. */
const ARCHITECTURES: Readonly<Record<string, { id: number; column: 0 | 1 }>> = {
  x64: { id: 0xc000_003e, column: 0 },
  arm64: { id: 0xc000_00b7, column: 1 },
};

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_BITS = 0x45;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const fail = (errno: number) => 0x0005_0000 | errno;

/** In `struct seccomp_data`. */
const CALL_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const argumentOffset = (argument: number) => 16 + 8 * argument;

/** Calls of the x32 ABI have this bit: the same calls under other numbers. */
const X32_BIT = 0x4000_0000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
const end = (result: number): Instruction => [RETURN, 0, 0, result];
/** Runs the instructions only where the comparison holds. */
const only = (code: number, value: number, body: readonly Instruction[]): Instruction[] => [
  [code, 0, body.length, value],
  ...body,
];

/** The filter as a program of the kernel's packet filter, or null for an architecture whose calls are not in the table. */
export function systemCallFilter(architecture: string = process.arch): Buffer | null {
  const known = ARCHITECTURES[architecture];
  if (!known) return null;
  const rules = RULES.flatMap(({ call, errno = EPERM, when }) => {
    const number = call[known.column];
    return number === null ? [] : only(JUMP_IF_EQUAL, number, refusal(errno, when));
  });
  const program: Instruction[] = [
    load(ARCHITECTURE_OFFSET),
    [JUMP_IF_EQUAL, 1, 0, known.id],
    // A program for another architecture would have other numbers for the same calls.
    end(KILL_PROCESS),
    load(CALL_OFFSET),
    ...(architecture === 'x64' ? only(JUMP_IF_AT_LEAST, X32_BIT, [end(fail(ENOSYS))]) : []),
    ...rules,
    end(ALLOW),
  ];
  return Buffer.concat(program.map(encode));
}

/** Ends the program for one call: allowed or refused. */
function refusal(errno: number, when: Condition | undefined): Instruction[] {
  if (!when) return [end(fail(errno))];
  const loaded = load(argumentOffset(when.argument));
  if ('hasBits' in when) return [loaded, ...only(JUMP_IF_BITS, when.hasBits, [end(fail(errno))]), end(ALLOW)];
  const [listed, others] = 'equals' in when ? [when.equals, ALLOW] : [when.differsFrom, fail(errno)];
  const ofListed = 'equals' in when ? fail(errno) : ALLOW;
  return [loaded, ...listed.flatMap((value) => only(JUMP_IF_EQUAL, value, [end(ofListed)])), end(others)];
}

/** `struct sock_filter`. */
function encode([code, ifTrue, ifFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}

let file: UnnamedFile | null = null;

/**
 * A path at which processes of this user can read the filter while this process lives. Throws where there is no filter for this
 * architecture, or no place for the file.
 */
export function systemCallFilterPath(): string {
  file ??= unnamedFile(requiredFilter());
  return file.path;
}

function requiredFilter(): Buffer {
  const filter = systemCallFilter();
  if (filter === null)
    throw new Error(`system calls can be filtered on x64 and arm64, and this is ${process.arch}`);
  return filter;
}
