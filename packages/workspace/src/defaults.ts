/** How many symlinks one path may run through; the kernel's own limit on Linux. */
export const MAX_SYMLINKS = 40;

/** Output of a command kept in memory, for each stream: what a model can still read in one go. The rest is in the spill file. */
export const OUTPUT_MEMORY_BYTES = 64 * 1024;

/** The largest spill file: enough for any honest build log, too little for `yes` to fill a disk. */
export const OUTPUT_SPILL_BYTES = 64 * 1024 * 1024;

/** Between asking a process tree to end and ending it. A test runner or a package manager cleans up well within it. */
export const KILL_GRACE_MS = 2_000;

/** How long to wait for killed processes to be gone. Only one that hangs in a system call takes longer. */
export const KILL_WAIT_MS = 5_000;

/** Pause between two looks at a dying process tree. */
export const KILL_POLL_MS = 5;

/** After a command and all its descendants are gone, its pipes close at once; one still open is held by somebody else. */
export const DRAIN_MS = 500;

/** What a program needs to run at all; readable in the sandbox also when the read scope is narrower. */
export const SYSTEM_FOLDERS: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/etc',
  '/opt',
  '/nix',
];

/** Each sandboxed command has its own, empty. They are full of other programs' files and of sockets that lead out. */
export const PRIVATE_FOLDERS: readonly string[] = ['/tmp', '/var/tmp', '/run', '/var/run'];

/** Where a program starts that belongs to no project and is not confined. Only the system's owner writes there. */
export const OUTSIDE_PROJECTS = '/';

/** The same in a sandbox: empty, and below a private folder. */
export const OUTSIDE_PROJECTS_CONFINED = '/run/amplifier';

/** How long synchronous calls on many files may keep other work waiting. */
export const TIME_SLICE_MS = 5;

/** Read and copied in one synchronous call; a larger file would keep other work waiting too long. */
export const SMALL_FILE_BYTES = 256 * 1024;

/** Processes that are read at the same time: as many as the thread pool of node can serve without queueing much. */
export const SCAN_CONCURRENCY = 16;

/** A command that runs for this long has started: the next may follow. */
export const STARTING_MS = 100;

/** How often one reading of the process table looks for processes that began meanwhile. A machine always has some. */
export const SCAN_ROUNDS = 8;

/** What git ignores and work needs, such as installed packages: more is left behind, and said. */
export const CARRY_MAX_BYTES = 4 * 1024 * 1024 * 1024;

/** What is carried into an isolated tree when the settings do not say. */
export const CARRIED: readonly string[] = ['.env', '.env.*', 'node_modules', '.venv', 'venv'];

/** Installing on a slow line takes minutes, not hours. */
export const SETUP_TIMEOUT_MS = 15 * 60_000;

/** The largest folder that is copied to isolate it. A git worktree is as large as its repository and is not limited. */
export const COPY_MAX_BYTES = 256 * 1024 * 1024;

/** Left out of a copy of a plain folder: large, and made again from the rest. */
export const COPY_LEAVES_OUT: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.mypy_cache',
  '.pytest_cache',
]);

/** A file larger than this is named in a diff but not shown: nobody reads it, and no model should. */
export const DIFF_MAX_FILE_BYTES = 1024 * 1024;

/** File content that a diff shows in all, of both sides. */
export const DIFF_MAX_BYTES = 32 * 1024 * 1024;

/** The most that a patch holds. What is beyond is named and not read, and the patch cannot be applied. */
export const PATCH_MAX_CHANGES = 20_000;
export const PATCH_MAX_BYTES = 512 * 1024 * 1024;

/** Paths that a list names before it says how many more there are. */
export const NAMED_PATHS = 1_000;

/** A lock whose holder cannot be judged from here counts as abandoned after this long. Its holder renews it more often. */
export const LOCK_STALE_MS = 5_000;

/** Applying a large patch takes seconds. */
export const LOCK_WAIT_MS = 10_000;

/** No turn takes longer: what is older was left by a process that died. */
export const COMPARISON_MAX_AGE_MS = 7 * 24 * 60 * 60_000;

/** Folders in folders that a copy or a snapshot of a tree enters. Installed packages reach about 40; each level costs more than the last. */
export const TREE_MAX_DEPTH = 200;

/** Git lists a million files in a tenth of it. */
export const GIT_LIMIT_MS = 120_000;
