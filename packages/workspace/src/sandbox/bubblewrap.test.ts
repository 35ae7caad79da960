import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { FULL_GRANT, type Grant } from '../grant/grant.js';
import { pathScope } from '../grant/path-scope.js';
import { realGrant } from '../grant/resolve-inside.js';
import { sessionGrant } from '../grant/safety-mode.js';
import { listProcesses } from '../processes/process-table.js';
import { startProcess } from '../processes/start-process.js';
import { Bubblewrap } from './bubblewrap.js';
import { detectSandbox, explainGuarantees, NoSandbox } from './detect-sandbox.js';
import { systemCallFilter } from './system-call-filter.js';

const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/', import.meta.url));
const sandbox = await detectSandbox();
const works = sandbox instanceof Bubblewrap;
if (!works) console.warn(`SKIPPED: every test of the sandbox. ${sandbox.because}`);

/** May write its folder only, and has no network. */
function confined(space: TempWorkspace, changes: Partial<Grant> = {}): Grant {
  const write = pathScope([space.path]);
  return { ...FULL_GRANT, exec: 'confined', network: false, write, ...changes };
}

async function run(space: TempWorkspace, line: string, changes: Partial<Grant> = {}) {
  const grant = await realGrant(confined(space, changes));
  const running = await startProcess({ command: ['bash', '-c', line], cwd: space.path, grant, sandbox });
  const end = await running.done;
  return { ...end, out: end.stdout.text.trim(), err: end.stderr.text.trim() };
}

describe.runIf(works)('bubblewrap', () => {
  it('lets a command write its folder, its own /tmp and nothing else', async () => {
    await using space = await TempWorkspace.create({ 'a.txt': 'a' });
    const end = await run(space, 'echo b > b.txt; echo x > /tmp/mine; cat a.txt b.txt /tmp/mine');
    expect(end).toMatchObject({ exit_code: 0, out: 'ab\nx', err: '', unenforced: [] });
    expect(existsSync('/tmp/mine')).toBe(false);
    expect(await space.read('b.txt')).toBe('b\n');
  });

  it('hides what globs deny, wherever it is in the folder and whatever leads to it', async () => {
    await using space = await TempWorkspace.create({
      'secrets/key': 'hidden',
      'deep/down/secrets/key': 'hidden',
      'deep/a.pem': 'hidden',
      'open/a.txt': 'seen',
    });
    await symlink(space.resolve('deep/a.pem'), space.resolve('open/link'));
    const globs = [`${space.path}/**/secrets`, `${space.path}/**/*.pem`];
    const end = await run(
      space,
      'grep -rhs . .; cat open/link; mv deep moved; mv secrets other; cat other/key',
      {
        read: pathScope(['/'], [], { deny_globs: globs }),
      },
    );
    expect(end.out).toBe('seen');
  });

  it.each(['/run', '/tmp', '/var/tmp'])('shows nothing of %s for being named as the folder', async (cwd) => {
    await using space = await TempWorkspace.create();
    for (const mode of ['read_only', 'propose', 'write'] as const) {
      const grant = await sessionGrant(mode, { cwd: space.path, trusted: true, homes: [] });
      const start = startProcess({ command: ['ls'], cwd, visible: [space.path], grant, sandbox });
      await expect(start).rejects.toMatchObject({ code: 'EXEC_DENIED' });
    }
  });

  /** Bubblewrap that finds another path where a name was, as it does if a process exchanges the name for a link at that moment. */
  async function exchanging(
    programs: TempWorkspace,
    from: string,
    to: string,
    which = '0,',
  ): Promise<Bubblewrap> {
    const [program, options] = [programs.resolve('bwrap'), programs.resolve('options')];
    const edit = `sed -z '${which}/^${from.replaceAll('/', '\\/')}$/s//${to.replaceAll('/', '\\/')}/'`;
    await writeFile(program, `#!/bin/sh\n${edit} <&8 >${options}\nexec bwrap "$@" 8<${options}\n`, {
      mode: 0o755,
    });
    const found = await Bubblewrap.detect(program);
    if (found instanceof Bubblewrap) return found;
    throw new Error(found.because);
  }

  it.each([
    ['a locked folder', 'locked'],
    ['a folder above a locked one', 'above'],
    ['the writable folder', '.'],
  ])('starts no command if bubblewrap mounts another folder for %s', async (_name, exchanged) => {
    await using space = await TempWorkspace.create({ 'locked/a': 'a', 'above/inner/b': 'b' });
    await using other = await TempWorkspace.create({ key: 'CANARY', 'inner/key': 'CANARY' });
    await using programs = await TempWorkspace.create();
    const deny = [space.resolve('locked'), space.resolve('above/inner')];
    const grant = await realGrant(confined(space, { write: pathScope([space.path], deny) }));
    const line = `cat ${exchanged}/key; echo planted > ${exchanged}/new`;
    const start = { command: ['bash', '-c', line], cwd: space.path, grant } as const;
    const tricked = await exchanging(programs, join(space.path, exchanged), other.path);
    const end = await (await startProcess({ ...start, sandbox: tricked })).done;
    expect(end).toMatchObject({ exit_code: 126, stdout: { text: '' } });
    expect(end.stderr.text).toContain('The command was not started');
    expect(existsSync(other.resolve('new'))).toBe(false);
    expect((await (await startProcess({ ...start, sandbox })).done).exit_code).not.toBe(126);
  });

  it('starts no command if what hides or locks a folder is mounted somewhere else', async () => {
    await using space = await TempWorkspace.create({ 'locked/a': 'a', 'hidden/key': 'CANARY', 'else/x': '' });
    await using programs = await TempWorkspace.create();
    for (const name of ['locked', 'hidden']) {
      const grant = await realGrant(
        confined(space, {
          read: pathScope(['/'], [space.resolve('hidden')]),
          write: pathScope([space.path], [space.resolve('locked')]),
        }),
      );
      const command = ['bash', '-c', 'cat hidden/key; echo b > locked/a'] as const;
      const tricked = await exchanging(programs, space.resolve(name), space.resolve('else'), '');
      const end = await (await startProcess({ command, cwd: space.path, grant, sandbox: tricked })).done;
      expect(end).toMatchObject({ exit_code: 126, stdout: { text: '' } });
      expect(await space.read('locked/a')).toBe('a');
    }
  });

  const ATTEMPTS: [name: string, line: string][] = [
    ['an absolute path', 'echo x > "$TARGET/file"'],
    ['a relative path', 'echo x > "../$(basename "$TARGET")/file"'],
    ['a symlink', 'ln -s "$TARGET" link; echo x > link/file'],
    ['/proc/self/root', 'echo x > "/proc/self/root$TARGET/file"'],
    ['/proc/1/root', 'echo x > "/proc/1/root$TARGET/file"'],
    ['the descriptor of a folder', 'exec 9< /; echo x > "/proc/self/fd/9$TARGET/file"'],
    ['a hard link', 'ln "$TARGET/kept" here; echo x > here'],
    ['a remount', 'mount -o remount,rw /; mount -o remount,rw,bind "$TARGET"; echo x > "$TARGET/file"'],
    ['a mount of its own', 'mount -t tmpfs none "$TARGET"; echo x > "$TARGET/kept"'],
    ['an unmount', 'umount -l /; umount /proc; echo x > "$TARGET/file"'],
    ['a new user namespace', 'unshare -Urm sh -c \'mount -o remount,rw /; echo x > "$TARGET/file"\''],
    ['entering the first process', 'nsenter -t 1 -m -p sh -c \'echo x > "$TARGET/file"\''],
    ['a changed root', 'chroot /proc/1/root sh -c \'echo x > "$TARGET/file"\''],
    ['a device node', 'mknod disk b 254 0 && dd if=disk of=/dev/null count=1 && echo x > "$TARGET/file"'],
    ['removing it', 'rm -rf "$TARGET"'],
    ['moving it', 'mv "$TARGET" stolen'],
    ['its permissions', 'chmod 000 "$TARGET"; touch -d 1990-01-01 "$TARGET/kept"'],
  ];

  it.each(ATTEMPTS)('contains a write outside through %s', async (_name, line) => {
    // Not below /tmp, which the sandbox replaces by an empty one: the refusal itself is to be seen.
    const target = await mkdtemp(join(CACHE, 'outside-'));
    try {
      await using space = await TempWorkspace.create();
      await using near = await TempWorkspace.create({ kept: 'kept' });
      await writeFile(`${target}/kept`, 'kept');
      for (const place of [target, near.path]) {
        const before = await stat(place);
        const end = await run(space, `TARGET='${place}'; export TARGET; ${line}`);
        expect(end.ended).toBe('exited');
        expect(await readdir(place)).toEqual(['kept']);
        expect(await readFile(`${place}/kept`, 'utf8')).toBe('kept');
        expect((await stat(place)).mode).toBe(before.mode);
      }
    } finally {
      await rm(target, { recursive: true, force: true });
    }
  });

  it('gives no rights over the machine', async () => {
    await using space = await TempWorkspace.create();
    const end = await run(
      space,
      'grep CapEff /proc/self/status; for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /sys/kernel/profiling; do test -w $f && echo writable $f; done; find /proc/sys /sys -maxdepth 4 -type f -perm /222 -print0 2>/dev/null | head -z -n 400 | while IFS= read -r -d "" f; do test -w "$f" && echo writable "$f"; done; true',
    );
    expect(end.out).toBe('CapEff:\t0000000000000000');
  });

  it('shows nothing of the processes outside, and cannot signal them', async () => {
    await using space = await TempWorkspace.create();
    const end = await run(space, `ls /proc | grep -c '^[0-9]*$'; kill -9 ${process.pid}; true`);
    expect(Number(end.out)).toBeLessThan(8);
  });

  it('hides denied files and folders, through links too', async () => {
    await using space = await TempWorkspace.create({ 'keys/id': 'KEY', '.env': 'TOKEN', 'open.txt': 'open' });
    await symlink('keys/id', space.resolve('way-in'));
    const read = pathScope(['/'], [space.resolve('keys'), space.resolve('.env')]);
    const end = await run(
      space,
      `cat open.txt; cat keys/id .env way-in /proc/self/root'${space.path}'/keys/id; umount keys; rm -rf keys .env; mv keys k2; cat k2/id`,
      { read },
    );
    expect(end.out).toBe('open');
    expect(await space.read('keys/id')).toBe('KEY');
    expect(await space.read('.env')).toBe('TOKEN');
  });

  it('locks denied paths inside the write scope', async () => {
    await using space = await TempWorkspace.create({ '.git/hooks/pre-commit': 'old', 'a.txt': 'a' });
    const write = pathScope([space.path], [space.resolve('.git')]);
    await run(
      space,
      'echo evil > .git/hooks/pre-commit; echo x > .git/hooks/post-commit; rm -rf .git; mv .git g; mkdir -p n && mv n .git; echo b > a.txt',
      { write },
    );
    expect(await space.read('.git/hooks/pre-commit')).toBe('old');
    await expect(space.read('.git/hooks/post-commit')).rejects.toThrow('ENOENT');
    expect(await space.read('a.txt')).toBe('b\n');
  });

  it('hides and locks what a denied symlink leads to', async () => {
    await using space = await TempWorkspace.create({ 'store/env': 'TOKEN', 'store/open': 'open' });
    await symlink('store/env', space.resolve('.env'));
    await symlink(space.resolve('store/env'), space.resolve('absolute'));
    const deny = [space.resolve('.env'), space.resolve('absolute')];
    const end = await run(
      space,
      'cat store/open .env store/env absolute; echo x > .env; echo x > store/env',
      {
        read: pathScope(['/'], deny),
        write: pathScope([space.path], deny),
      },
    );
    expect(end.out).toBe('open');
    expect(await space.read('store/env')).toBe('TOKEN');
  });

  it('still locks and hides denied paths when everything else may be written', async () => {
    await using space = await TempWorkspace.create({ 'kept/a': 'a' });
    await using other = await TempWorkspace.create();
    const file = other.resolve('written');
    const end = await run(
      space,
      `echo x > '${file}'; echo x > kept/a; ls /proc | grep -c '^[0-9]*$'; ls /dev/null`,
      {
        write: pathScope(['/'], [space.resolve('kept')]),
      },
    );
    expect(Number(end.out.split('\n')[0])).toBeLessThan(8);
    expect(end.out).toContain('/dev/null');
    expect(existsSync(file)).toBe(true);
    expect(await space.read('kept/a')).toBe('a');
  });

  it('renames what a command put at a denied path, and says so where that cannot be told', async () => {
    await using space = await TempWorkspace.create();
    const write = pathScope([space.path], [space.resolve('.env')]);
    const end = await run(space, 'echo x > .env', { write });
    expect(end.unenforced).toEqual([]);
    expect(end.held_back).toEqual([expect.stringContaining('.env, so it was renamed to')]);
    expect(existsSync(space.resolve('.env'))).toBe(false);
    const grant = await realGrant(confined(space, { write }));
    const command = ['true'] as const;
    const server = await startProcess({ command, cwd: space.path, grant, sandbox, staysOn: true });
    const { unenforced } = await server.done;
    expect(unenforced).toEqual([expect.stringContaining('.env: there is no file or folder yet')]);
  });

  it('reads only its scope and the system when the scope is narrow', async () => {
    await using space = await TempWorkspace.create({ 'a.txt': 'a' });
    await using other = await TempWorkspace.create({ 'b.txt': 'b' });
    const end = await run(space, `cat a.txt; cat '${other.path}/b.txt'; ls /root /home`, {
      read: pathScope([space.path]),
    });
    expect(end.out).toBe('a');
  });

  it('refuses to run in a folder it may not read', async () => {
    await using space = await TempWorkspace.create();
    await expect(run(space, 'true', { read: pathScope(['/usr']) })).rejects.toMatchObject({
      code: 'EXEC_DENIED',
    });
  });

  it('reaches a local server with network and not without', async () => {
    await using space = await TempWorkspace.create();
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address() as { port: number };
    const line = `exec 3<>/dev/tcp/127.0.0.1/${address.port} && cat <&3`;
    expect((await run(space, line, { network: true })).out).toBe('hello');
    for (const network of [false, 'tools'] as const)
      expect((await run(space, line, { network })).out).toBe('');
    server.close();
  });

  it('reaches no socket in the folders that others use', async () => {
    await using space = await TempWorkspace.create();
    await using other = await TempWorkspace.create();
    const server = createServer((socket) => socket.end('owned')).listen(other.resolve('engine.sock'));
    await once(server, 'listening');
    const connect = `require('net').connect('${other.resolve('engine.sock')}').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`;
    const end = await run(space, `'${process.execPath}' -e "${connect}"`, { network: true });
    expect(end.out).toBe('ENOENT');
    server.close();
  });

  it('ends with every process it started, whatever they did to hide', async () => {
    await using space = await TempWorkspace.create();
    const mark = `99${process.pid}`;
    const line = `(setsid env -i setsid sleep ${mark} >/dev/null 2>&1 &); (env -i nohup setsid sleep ${mark} >/dev/null 2>&1 &); sleep 0.1`;
    expect((await run(space, line)).survivors).toEqual([]);
    expect(await sleepers(mark)).toEqual([]);
  });

  it('asks the command to end before it is killed', async () => {
    await using space = await TempWorkspace.create();
    const grant = await realGrant(confined(space));
    let ready = () => {};
    const started = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const running = await startProcess({
      command: ['bash', '-c', `trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.01; done`],
      cwd: space.path,
      grant,
      sandbox,
      onOutput: () => ready(),
    });
    await started;
    expect((await running.stop()).stdout.text).toContain('bye');
  });

  it('leaves nothing behind when we are killed ourselves', async () => {
    await using space = await TempWorkspace.create();
    const mark = `98${process.pid}`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', OWNER, space.path, mark], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(owner.stdout, 'data');
    expect((await sleepers(mark)).length).toBe(2);
    owner.kill('SIGKILL');
    await expect.poll(() => sleepers(mark)).toEqual([]);
  });

  it('only contains what may do everything', async () => {
    await using space = await TempWorkspace.create();
    await using other = await TempWorkspace.create();
    const end = await run(space, `echo x > '${other.resolve('x')}'`, { ...FULL_GRANT });
    expect(end.exit_code).toBe(0);
    expect(await other.read('x')).toBe('x\n');
  });
});

/** Numbers of system calls on this machine. */
const CALLS: Record<string, number> =
  process.arch === 'arm64'
    ? {
        add_key: 217,
        keyctl: 219,
        ptrace: 117,
        mount: 40,
        unshare: 97,
        bpf: 280,
        ioctl: 29,
        socket: 198,
        personality: 92,
        getpid: 172,
      }
    : {
        add_key: 248,
        keyctl: 250,
        ptrace: 101,
        mount: 165,
        unshare: 272,
        bpf: 321,
        ioctl: 16,
        socket: 41,
        personality: 135,
        getpid: 39,
      };
/** The same everywhere. */
const NEW_CALLS = { io_uring_setup: 425, fsopen: 430, clone3: 435, pidfd_getfd: 438 };
const PERL = existsSync('/usr/bin/perl');
if (!PERL) console.warn('SKIPPED: every test of system calls. There is no perl to make them with.');

/** A line that makes a system call and prints its result, or the number of its error. */
const makeCall = (name: string, ...args: (number | string)[]) =>
  `perl -e 'my @a = @ARGV; my $r = syscall(${{ ...CALLS, ...NEW_CALLS }[name] ?? name}, map { /^-?\\d+$/ ? $_ + 0 : $_ } @a); print $r == -1 ? "error " . ($! + 0) : "done"' -- ${args.join(' ')}`;

const REFUSED: [name: string, line: string, errno: number][] = [
  ['keys', makeCall('keyctl', 0, -3, 0), 1],
  ['adding a key', makeCall('add_key', 'user', 'name', 'secret', 6, -3), 1],
  ['tracing itself', makeCall('ptrace', 0, 0, 0, 0), 1],
  ['mounting', makeCall('mount', 'none', '/tmp', 'tmpfs', 0, 0), 1],
  ['mounting by the newer calls', makeCall('fsopen', 'tmpfs', 0), 1],
  ['a user namespace', makeCall('unshare', 0x10000000), 1],
  ['a network namespace', makeCall('unshare', 0x40000000), 1],
  ['flags of clone that cannot be looked at', makeCall('clone3', 0, 0), 38],
  ['io_uring', makeCall('io_uring_setup', 1, 0), 38],
  ['bpf', makeCall('bpf', 0, 0, 0), 1],
  ['handles of other processes', makeCall('pidfd_getfd', 0, 0, 0), 1],
  ['typing into a terminal', makeCall('ioctl', 0, 0x5412, 0), 1],
  ['memory that can be run because it can be read', makeCall('personality', 0x400000), 1],
  ['the host of a virtual machine', makeCall('socket', 40, 1, 0), 97],
];
if (process.arch === 'x64')
  REFUSED.push(['the same calls under other numbers', makeCall(String(0x40000000 + 39)), 38]);

describe.runIf(works && PERL)('a confined command', () => {
  it.each(REFUSED)('is refused %s', async (_name, line, errno) => {
    await using space = await TempWorkspace.create();
    expect((await run(space, line, { network: true })).out).toBe(`error ${errno}`);
  });

  it('may do what programs do', async () => {
    await using space = await TempWorkspace.create();
    const lines = [
      makeCall('getpid'),
      makeCall('unshare', 0x400),
      makeCall('personality', 0xffffffff),
      makeCall('socket', 2, 1, 0),
    ];
    expect((await run(space, lines.join('; echo; '))).out.split('\n')).toEqual(lines.map(() => 'done'));
    // Threads, workers, pipes, file watches, timers, processes.
    const script =
      "const { Worker } = require('worker_threads'); require('fs').watch('.').close(); new Worker('process.exit(0)', { eval: true }).on('exit', () => console.log(require('child_process').execSync('git init -q . && git status --short && echo fine').toString()))";
    expect((await run(space, `'${process.execPath}' -e "${script}"`)).out).toBe('fine');
  });

  it.each(['read_only', 'write'])('reads no key of the session keyring in %s', async (mode) => {
    await using space = await TempWorkspace.create();
    const outside = spawn(
      '/usr/bin/perl',
      ['-e', WITH_A_KEY, process.execPath, '--input-type=module', '-e', KEY_READER, space.path, mode],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let out = '';
    outside.stdout.on('data', (chunk) => {
      out += chunk;
    });
    const [code] = await once(outside, 'exit');
    if (code === 77) {
      console.warn('SKIPPED: reads no key of the session keyring. This kernel has no keyrings.');
      return;
    }
    expect(out).not.toContain('CANARY');
    expect(JSON.parse(out)).toEqual({ key: 'error 1', lists: '0' });
  });
});

describe('bubblewrap is started', () => {
  /** Runs the command that follows `--` and the check of mounts, without a sandbox or a filter: what is left is what happens before it. */
  const NO_BWRAP =
    '#!/bin/sh\nwhile [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done\n[ $# -eq 0 ] || shift\nn=0\nwhile [ $n -lt 2 ]; do [ "$1" != - ] || n=$((n+1)); shift; done\nexec "$@"\n';

  it.runIf(works).each(['read_only', 'write'])(
    'without the session keyring of the person in %s, whatever the filter does',
    async (mode) => {
      await using space = await TempWorkspace.create();
      await writeFile(space.resolve('bwrap'), NO_BWRAP, { mode: 0o755 });
      const reader = KEY_READER.replaceAll('await detectSandbox()', 'bare').replace(
        'const run',
        `const bare = await Bubblewrap.detect(${JSON.stringify(space.resolve('bwrap'))});\n  const run`,
      );
      const code = `import { Bubblewrap } from ${JSON.stringify(new URL('../../dist/sandbox/bubblewrap.js', import.meta.url).href)};\n${reader}`;
      const outside = spawn(
        '/usr/bin/perl',
        ['-e', WITH_A_KEY, process.execPath, '--input-type=module', '-e', code, space.path, mode],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const out = text(outside.stdout);
      const [exit] = await once(outside, 'exit');
      if (exit === 77) return console.warn('SKIPPED: a new session keyring. This kernel has no keyrings.');
      // ENOKEY: the keyring is another one.
      expect(JSON.parse(await out)).toMatchObject({ key: 'error 126' });
    },
  );

  it.runIf(works)('by programs that no variable of the command acts on', async () => {
    await using space = await TempWorkspace.create({
      'Planted.pm': 'package Planted; print STDERR "PLANTED perl\\n"; 1;\n',
      'planted.sh': 'echo PLANTED shell >&2\n',
      'bin/bwrap': '#!/bin/sh\necho PLANTED bwrap >&2\n',
      '.bashrc': 'echo PLANTED profile >&2\n',
    });
    await chmod(space.resolve('bin/bwrap'), 0o755);
    const env = {
      PATH: `${space.resolve('bin')}:${process.env.PATH}`,
      HOME: space.path,
      SHLVL: '0',
      PERL5LIB: space.path,
      PERL5OPT: '-MPlanted',
      BASH_ENV: space.resolve('planted.sh'),
      ENV: space.resolve('planted.sh'),
      'BASH_FUNC_[%%': '() { echo PLANTED function >&2; }',
      SHELLOPTS: 'xtrace',
      PS4: '$(echo PLANTED prompt >&2)',
      // The loader complains once for each program that it loads.
      LD_PRELOAD: space.resolve('missing.so'),
      MINE: 'mine',
    };
    const grant = await realGrant(confined(space));
    const command = ['/bin/cat', '/proc/self/environ'] as const;
    const { argv, env: outside, release } = await sandbox.confine({ command, cwd: space.path, grant, env });
    await using nothing = await open('/dev/null');
    // A plain shell closes descriptors of one digit; of more, bash does.
    for (const inherited of [0, 12]) {
      const [program, ...args] = argv;
      const more = Array.from({ length: inherited }, () => nothing.fd);
      const stdio = ['pipe', 'pipe', 'pipe', ...more] as const;
      const child = spawn(program, args, { cwd: space.path, env: outside, stdio: [...stdio] });
      const read = (stream: Readable | null) => text(stream as Readable);
      const [out, err] = await Promise.all([read(child.stdout), read(child.stderr), once(child, 'exit')]);
      expect(err).not.toContain('PLANTED');
      expect(err.match(/ld\.so/g)).toHaveLength(1);
      const got = Object.fromEntries(out.split('\0').map((entry) => entry.split(/=(.*)/s)));
      expect(got).toMatchObject(env);
    }
    await release();
  });
});

/** Joins a new session keyring, puts a key into it, and becomes the program that is given. */
const WITH_A_KEY = `
my ($type, $name, $secret) = ("user", "amplifier-test", "CANARY");
syscall(${CALLS.keyctl}, 1, 0) == -1 and exit 77;
syscall(${CALLS.add_key}, $type, $name, $secret, 6, -3) == -1 and exit 77;
exec @ARGV;`;

/** Looks for the key by name and for the lists of keys, in a command of a session. */
const KEY_READER = `
  import { startProcess, detectSandbox, sessionGrant } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
  const [, cwd, mode] = process.argv;
  const grant = await sessionGrant(mode, { cwd, trusted: true, homes: [] });
  const search = 'my ($t, $n) = ("user", "amplifier-test"); my $k = syscall(${CALLS.keyctl}, 10, -3, $t, $n, 0); my $e = $! + 0; my $b = " " x 20; syscall(${CALLS.keyctl}, 11, $k, $b, 20); print $k == -1 ? "error $e" : $b';
  const run = async (command) =>
    (await (await startProcess({ command, cwd, visible: [cwd], grant, sandbox: await detectSandbox() })).done).stdout.text.trim();
  const key = await run(['perl', '-e', search]);
  const lists = await run(['bash', '-c', 'cat /proc/keys /proc/key-users 2>/dev/null | wc -c']);
  console.log(JSON.stringify({ key, lists }));
`;

describe('a machine without a sandbox', () => {
  it('says what is not guaranteed and why', async () => {
    const missing = await Bubblewrap.detect('no-such-bwrap');
    expect(missing).toEqual({ because: expect.stringContaining('no-such-bwrap') });
    const text = explainGuarantees(new NoSandbox('bwrap is missing.'));
    expect(text).toContain('sandbox: none (bwrap is missing.)');
    expect(text).toContain('Commands may write wherever the user may.');
    expect(text).toContain('Commands may use every system call');
  });

  it('is one without a filter for system calls, too', async () => {
    await using space = await TempWorkspace.create();
    const old = space.resolve('bwrap');
    const line = 'case "$*" in *--seccomp*) echo "bwrap: Unknown option --seccomp" >&2; exit 1;; esac';
    await writeFile(old, `#!/bin/sh\n${line}\nexit 0\n`, { mode: 0o755 });
    expect(await Bubblewrap.detect(old)).toEqual({ because: expect.stringContaining('--seccomp') });
    expect(systemCallFilter('riscv64')).toBeNull();
    for (const known of ['x64', 'arm64']) expect(systemCallFilter(known)?.length).toBeGreaterThan(500);
  });
});

it('is looked for once by commands that start at the same time', async () => {
  await using space = await TempWorkspace.create();
  const counting = `#!/bin/sh\necho once >> ${space.resolve('count')}\nexit 0\n`;
  await writeFile(space.resolve('bwrap'), counting, { mode: 0o755 });
  const { PATH } = process.env;
  process.env.PATH = `${space.path}:${PATH}`;
  try {
    const found = await Promise.all(Array.from({ length: 20 }, () => detectSandbox()));
    expect(new Set(found).size).toBe(1);
    expect(readFileSync(space.resolve('count'), 'utf8')).toBe('once\n');
  } finally {
    process.env.PATH = PATH;
  }
});

async function sleepers(mark: string): Promise<number[]> {
  return (await listProcesses())
    .filter(({ name }) => name === 'sleep')
    .filter(({ pid }) => commandLine(pid).includes(mark))
    .map(({ pid }) => pid);
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

const OWNER = `
  import { startProcess, detectSandbox, FULL_GRANT, pathScope } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
  const [, cwd, mark] = process.argv;
  await startProcess({
    command: ['bash', '-c', 'sleep ' + mark + ' & env -i setsid sleep ' + mark + ' & sleep 0.1; echo up; wait'],
    cwd, grant: { ...FULL_GRANT, exec: 'confined', write: pathScope([cwd]) }, sandbox: await detectSandbox(),
    onOutput: (_stream, chunk) => process.stdout.write(chunk),
  });
`;
