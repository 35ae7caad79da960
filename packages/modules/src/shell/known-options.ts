import { isInput, type KnownOptions, readOptions } from './read-options.js';
import { UNKNOWN } from './unknown-text.js';

const part = (end: string) => `(?:[^${end}\\\\\\n[]|\\\\[^\\n]|\\[\\^?[^\\]^${end}\\n][^\\]${end}\\n]*\\])*`;
const ADDRESS = `(?:\\d+(?:~\\d+)?|\\$|/${part('/')}/I?)`;
const REPLACE = ['/', '|', ',', '#', ':', '@']
  .map((end) => `s[${end}]${part(end)}[${end}](?:[^${end}\\\\\\n]|\\\\[^\\n])*[${end}][gpiIm0-9]*`)
  .join('|');
/** A command of sed that neither runs, reads nor writes anything, up to what may end it. */
const SED_COMMAND = new RegExp(
  `[\\s;]*(?:${ADDRESS}(?:,[+~]?${ADDRESS})? *!? *)?(?:\\{|(?:[pdDPNnGgHhxl=}]|q\\d*|${REPLACE}|[bt:] ?\\w*|[aic](?:\\\\\\n| |\\\\)[^\\n]*)(?= *(?:[;\\n}]|$)))\\s*`,
  'y',
);

function isKnownSedScript(script: string): boolean {
  let at = 0;
  while (at < script.length) {
    SED_COMMAND.lastIndex = at;
    if (!SED_COMMAND.test(script)) return /^[\s;]*$/.test(script.slice(at));
    at = SED_COMMAND.lastIndex;
  }
  return true;
}

const SED: KnownOptions = {
  flags: 'nErsuz',
  values: 'e',
  attached: 'i',
  long: 'quiet silent regexp-extended null-data separate in-place sandbox debug expression=',
};

/** Its commands `e`, `r` and `w`, and scripts in files, are not known. */
export function isKnownSed(args: readonly string[]): boolean {
  if (args.length === 1 && args[0] === '--version') return true;
  const read = readOptions(args, SED);
  if (read === null) return false;
  const scripts = read.values.map(({ value }) => value);
  if (scripts.length === 0) scripts.push(...read.operands.slice(0, 1));
  return (
    scripts.length > 0 && scripts.every((script) => !script.includes(UNKNOWN) && isKnownSedScript(script))
  );
}

/** Its pipes, files, extensions and functions that run commands are not known. */
export function isKnownAwk(args: readonly string[]): boolean {
  if (args.length === 1 && args[0] === '--version') return true;
  const read = readOptions(args, { values: 'Fv', ends: true });
  const [program] = read?.operands ?? [];
  return program !== undefined && !/system|[|@\uE000]|getline|\\\n|print[\s\S]*>/.test(program);
}

export function isKnownSqlite(args: readonly string[]): boolean {
  const words = /^--?(?:header|noheader|csv|json|column|line|list|box|table|markdown|readonly|batch|bail)$/;
  const [, ...statements] = readOptions(args, { words })?.operands ?? [];
  return (
    statements.length > 0 &&
    statements.every(
      (sql) =>
        /^\s*(?:select|insert|update|delete|create|drop|alter|pragma|with|explain|replace)\b/i.test(sql) &&
        !/\n\s*\.|edit|extension|writefile|attach|vacuum|virtual|_directory|\uE000/i.test(sql),
    )
  );
}

/** `tar xf` without a dash: the first word has the letters. A list of files may contain options. */
export function isKnownTar(args: readonly string[]): boolean {
  const [first = '', ...rest] = args;
  const known = {
    flags: 'xctruAdvzjJakpPhOSmUi',
    values: 'fCbXN',
    long: 'extract create list append update get gzip gunzip bzip2 xz zstd auto-compress verbose keep-old-files same-permissions preserve-permissions no-same-owner no-same-permissions overwrite file= directory= exclude= exclude-from= exclude-vcs strip-components= transform= owner= group= mtime= sort= numeric-owner wildcards dereference to-stdout format= version help one-file-system',
  };
  if (/^[^-]/.test(first)) {
    if (!/^[xctruAdvzjJakpPhOSmUifCbXN]+$/.test(first)) return false;
    // The values of its letters are the next words.
    return readOptions(rest, known) !== null && !rest.some(isRemote);
  }
  const read = readOptions(args, known);
  return (
    read !== null && !read.values.some(({ option, value }) => /^f(?:ile)?$/.test(option) && isRemote(value))
  );
}

/** `host:file`: another program is run to reach the host. */
const isRemote = (file: string) => /^[^/]*:/.test(file);

/** An interpreter with a script in a file, which is a program like any other. */
export function isKnownScript(args: readonly string[], known: KnownOptions): boolean {
  if (args.length > 0 && args.every((arg) => /^(?:--?version|-[vVh]|--help)$/.test(arg))) return true;
  const [script] = readOptions(args, { ...known, ends: true })?.operands ?? [];
  if (script === undefined) return args.includes('--test') && readOptions(args, known) !== null;
  return !isInput(script);
}

/** `-o Name=value` as one word. */
const joinSsh = (args: readonly string[]) =>
  args.flatMap((arg, at) => (arg === '-o' ? [`-o${args[at + 1]}`] : args[at - 1] === '-o' ? [] : [arg]));

const SSH: KnownOptions = {
  flags: 'tTvqnNCAaxfgkK46y',
  values: 'iplLRD',
  words: /^-o(?:StrictHostKeyChecking|ConnectTimeout|BatchMode|LogLevel|ServerAliveInterval)=\w+$/,
  ends: true,
};

/** Options may also follow the host. */
export function isKnownSsh(args: readonly string[]): boolean {
  const before = readOptions(joinSsh(args), SSH);
  return before !== null && readOptions(before.rest, SSH) !== null;
}

const NPM: KnownOptions = {
  flags: 'DESOPgsvfyl',
  values: 'w',
  long: 'no-audit no-fund prefer-offline silent workspace= workspaces save-dev save-exact save if-present omit= include= production global force legacy-peer-deps ignore-scripts json depth= all long version dry-run include-workspace-root package-lock-only no-save help yes otp= access= tag=',
};
/** Any unique beginning of another command runs that command. */
const NPM_COMMANDS =
  /^(?:install|i|add|ci|clean-install|test|t|run|run-script|start|stop|restart|ls|list|outdated|view|info|show|why|explain|audit|fund|pack|publish|version|root|prefix|uninstall|un|remove|rm|update|up|dedupe|prune|ping|whoami|search|query)$/;

export function isKnownNpm(args: readonly string[]): boolean {
  const read = readOptions(args.includes('--') ? args.slice(0, args.indexOf('--')) : args, NPM);
  if (read === null) return false;
  const [command, ...more] = read.operands;
  if (command === 'init') return more.length === 0;
  return command === undefined || NPM_COMMANDS.test(command);
}

const MAKE: KnownOptions = {
  flags: 'knsBiwqtrRdv',
  values: 'Cf',
  attached: 'jlO',
  long: 'silent quiet keep-going dry-run just-print always-make no-print-directory directory= file= makefile= jobs version help ignore-errors question warn-undefined-variables',
  operands: /^(?:[^=$`;|&<>\s]+|(?:V|VERBOSE|DEBUG|Q|PREFIX|DESTDIR|BUILD_TYPE|NODE_ENV)=[\w./-]*)$/,
};

export function isKnownMake(args: readonly string[]): boolean {
  const read = readOptions(args, MAKE);
  return read?.values.every(({ value }) => !isInput(value)) ?? false;
}

/** Programs for other work that also run commands, by name. */
export const KNOWN_OPTIONS: readonly [names: string, known: KnownOptions][] = [
  [
    'sort gsort',
    {
      flags: 'bdfghiMnRrVcCmsuz',
      values: 'ktST',
      long: 'key= field-separator= reverse numeric-sort unique version-sort human-numeric-sort ignore-case stable parallel= buffer-size= temporary-directory= check zero-terminated random-sort general-numeric-sort month-sort dictionary-order ignore-leading-blanks merge version help',
    },
  ],
  [
    'split gsplit',
    {
      flags: 'exu',
      attached: 'd',
      values: 'abClnt',
      long: 'lines= bytes= number= numeric-suffixes suffix-length= additional-suffix= verbose',
    },
  ],
  [
    'zip',
    {
      words: /^-(?:[rqjyuvX0-9]+|[xidm@])$/,
      long: 'recurse-paths quiet junk-paths symlinks exclude include',
    },
  ],
  [
    'rsync',
    {
      flags: 'avzrhnPtulpgoDHAXcxWSmqiCRdk',
      long: 'delete archive verbose compress exclude= include= exclude-from= progress dry-run stats partial recursive update checksum human-readable info= delete-after ignore-existing links perms times',
    },
  ],
  ['scp', { flags: 'rpqvC346B', values: 'iPl' }],
  [
    'wget',
    {
      flags: 'qcNrSvkpmndH',
      values: 'TtU',
      words: /^-[qcS]*O-$/,
      long: 'quiet no-verbose show-progress continue header= timeout= tries= user-agent= no-check-certificate spider recursive post-data= method= server-response version help',
    },
  ],
  [
    'gcc g++ cc c++ clang clang++ c99 gfortran',
    {
      words:
        /^(?:-[cgvESM]|-M[MDP]+|-O[0-3sgz]?|-g[0-3]|-ggdb|-std=[\w+]+|-[ILlDU][^@]+|-o[\w./-]*|-W[a-z0-9=-]*|-f(?:PIC|pic|PIE|pie|openmp|no-[a-z-]+|sanitize=[a-z,]+|stack-protector[a-z-]*)|-shared|-static|-pthread|-pedantic|-ansi|-m(?:32|64|arch=[\w-]+|tune=[\w-]+)|--version|--help)$/,
      operands: /^[^@]/,
    },
  ],
  [
    'cmake',
    {
      values: 'SBG',
      attached: 'j',
      long: 'build= target= config= install= parallel version help verbose clean-first fresh prefix= preset=',
      words:
        /^-D(?:CMAKE_BUILD_TYPE|CMAKE_INSTALL_PREFIX|BUILD_SHARED_LIBS|BUILD_TESTING|CMAKE_EXPORT_COMPILE_COMMANDS)(?::\w+)?=[\w./-]*$/,
      operands: /^[^=]*$/,
    },
  ],
  [
    'install ginstall',
    { flags: 'dDvpCcT', values: 'mogt', long: 'mode= owner= group= directory target-directory= verbose' },
  ],
  [
    'dpkg',
    { flags: 'lLsSpIc', long: 'list listfiles status search print-architecture version get-selections' },
  ],
  [
    'apt apt-get apt-cache aptitude',
    {
      flags: 'yqfV',
      long: 'yes assume-yes no-install-recommends quiet fix-broken installed upgradable version',
      operands: /^(?!edit-sources$|changelog$)/,
    },
  ],
  ['man', { flags: 'kfaw' }],
  ['less more pager zless zmore bzless bzmore xzless xzmore', { flags: 'RSNFXiIMrEs', operands: /^[^+]/ }],
  ['tcpdump', { flags: 'nvlAXexqtDpS', values: 'icrs' }],
  ['ninja', { flags: 'nv', values: 'Cjkld', long: 'version verbose quiet' }],
  ['just', { flags: 'ln', long: 'list summary dry-run version', operands: /^[^=]*$/ }],
];

export const NODE_OPTIONS: KnownOptions = {
  flags: 'c',
  long: 'check test watch enable-source-maps no-warnings trace-warnings trace-deprecation trace-uncaught experimental-strip-types experimental-transform-types test-name-pattern= test-timeout= test-concurrency= test-only expose-gc unhandled-rejections= preserve-symlinks',
  words: /^--(?:max-old-space-size|stack-trace-limit)=\d+$/,
  operands: /^(?!(?:inspect|debug|watch|repl)$)/,
};
