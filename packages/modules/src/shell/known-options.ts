import { SEVERAL, UNKNOWN } from './unknown-text.js';

/** The options of a program that make it run nothing else. Any other makes its command one that is not understood. */
export interface KnownOptions {
  /** Letters of short options without a value. They may be bundled. */
  flags?: string;
  /** Letters of short options that require a value, in the same word or the next. */
  values?: string;
  /** Letters of short options whose value, if any, is in the same word. */
  attached?: string;
  /** Names of long options, written out in full. With `=`: the value may also be the next word. */
  long?: string;
  /** Options of another form, as whole words. */
  words?: RegExp;
  /** Every operand is like this. */
  operands?: RegExp;
  /** The options end at the first operand; what follows is for what it names. */
  ends?: true;
}

export interface ReadOptions {
  operands: string[];
  /** What follows the first operand, if the options end there. */
  rest: readonly string[];
  values: { option: string; value: string }[];
}

/** Code or names from its input, a descriptor or a substitution. */
export const isInput = (word: string): boolean =>
  word === '-' || word.startsWith(UNKNOWN) || /^\/(?:dev\/(?!null$)|proc\/)/.test(word.replace(/\/+/g, '/'));

/** Null if an option is not known, or a word may become one when the line runs. */
export function readOptions(args: readonly string[], known: KnownOptions): ReadOptions | null {
  const found: ReadOptions = { operands: [], rest: [], values: [] };
  const short = new RegExp(
    `^-[${known.flags ?? ''}]*(?:([${known.values ?? ''}])([^]*)|[${known.attached ?? ''}][^]*)?$`,
  );
  const long = new Set(known.long?.split(' '));
  let isEnd = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word.includes(SEVERAL) || (word.startsWith(UNKNOWN) && !isEnd)) return null;
    if (isEnd || !/^-./.test(word)) {
      if (known.operands && !known.operands.test(word)) return null;
      found.operands.push(word);
      if (known.ends) return { ...found, rest: args.slice(at + 1) };
    } else if (word === '--') isEnd = true;
    else if (!known.words?.test(word)) {
      const [, name = '', inside] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
      const [, letter, rest] = word.startsWith('--') ? [] : (short.exec(word) ?? []);
      const takes = letter !== undefined || long.has(`${name}=`);
      if (!takes && !long.has(name) && (word.startsWith('--') || !short.test(word))) return null;
      const isNext = letter === undefined ? inside === undefined : rest === '';
      if (!takes) continue;
      const value = isNext ? args[++at] : (inside ?? rest);
      if (value === undefined || value.includes(SEVERAL)) return null;
      found.values.push({ option: letter ?? name, value });
    }
  }
  return found;
}

const GIT_DIFF: KnownOptions = {
  flags: 'pusbwaRBMCDWzvqicm0123456789',
  values: 'SGnU',
  long: 'stat numstat shortstat name-only name-status cached staged summary patch no-patch raw word-diff color color-words no-color no-ext-diff no-textconv no-renames minimal patience histogram check exit-code quiet binary full-index ignore-all-space ignore-space-change ignore-blank-lines ignore-space-at-eol find-renames diff-filter= unified= no-index merge-base relative text follow oneline graph decorate no-decorate all branches tags remotes reverse merges no-merges first-parent pretty format= abbrev-commit abbrev no-abbrev-commit date= since= until= after= before= author= committer= grep= max-count= skip= cherry-pick left-right topo-order date-order not no-walk count stat-count dirstat submodule compact-summary show-signature no-prefix',
};

const GIT_FETCH =
  'all prune tags no-tags depth= unshallow force quiet verbose progress no-progress dry-run jobs= set-upstream shallow-since= recurse-submodules no-recurse-submodules';

/** By subcommand. One that is missing may be an alias. */
const GIT = new Map<string, KnownOptions>(
  (
    [
      ['diff log show shortlog diff-tree diff-index diff-files rev-list whatchanged', GIT_DIFF],
      [
        'status',
        {
          flags: 'sbvz',
          attached: 'u',
          long: 'short branch porcelain long verbose ignored untracked-files show-stash ahead-behind no-ahead-behind no-renames column',
        },
      ],
      [
        'add stage',
        {
          flags: 'AufnvN',
          long: 'all update force dry-run verbose intent-to-add no-all ignore-removal ignore-errors refresh renormalize chmod=',
        },
      ],
      [
        'commit',
        {
          flags: 'aqnvso',
          values: 'mFcC',
          long: 'all message= amend no-edit no-verify quiet verbose signoff allow-empty allow-empty-message author= date= file= fixup= squash= dry-run only reset-author trailer= no-gpg-sign reuse-message=',
        },
      ],
      [
        'branch',
        {
          flags: 'avrdDmMcCfqil',
          values: 'u',
          long: 'all remotes list delete move copy force show-current set-upstream-to= unset-upstream merged no-merged contains no-contains sort= format= points-at= track no-track quiet verbose',
        },
      ],
      [
        'checkout switch restore',
        {
          flags: 'qfdtSWm',
          values: 'bBcCs',
          long: 'quiet force detach track no-track ours theirs orphan= create= force-create= source= staged worktree merge guess no-guess discard-changes overlay no-overlay progress no-progress',
        },
      ],
      [
        'merge revert cherry-pick pull rebase',
        {
          flags: 'qvner',
          values: 'mX',
          long: `abort continue skip quit no-commit no-edit no-ff ff ff-only squash message= rebase no-rebase autostash no-autostash onto= autosquash keep-base root no-stat stat mainline= strategy-option= allow-unrelated-histories allow-empty ${GIT_FETCH}`,
        },
      ],
      ['fetch', { flags: 'aptnfqv', values: 'j', long: GIT_FETCH }],
      [
        'push',
        {
          flags: 'ufdnqv',
          long: 'set-upstream force force-with-lease force-if-includes delete tags all mirror dry-run quiet verbose porcelain no-verify follow-tags atomic prune progress',
        },
      ],
      [
        'clone',
        {
          flags: 'qvln',
          values: 'bo',
          long: 'depth= branch= single-branch no-single-branch bare mirror quiet verbose progress no-checkout no-tags filter= origin= sparse shallow-since= local no-local no-hardlinks',
        },
      ],
      ['init', { flags: 'q', values: 'b', long: 'quiet bare initial-branch=' }],
      [
        'stash',
        {
          flags: 'uakqp',
          values: 'm',
          long: 'include-untracked all keep-index no-keep-index quiet message= index staged stat patch',
        },
      ],
      [
        'tag',
        {
          flags: 'adlfn',
          values: 'mF',
          long: 'annotate delete list force message= file= sort= contains points-at= format= merged no-merged',
        },
      ],
      ['remote', { flags: 'vn', long: 'verbose all push prune', operands: /^(?!(?:update)$)/ }],
      [
        'reset rm mv clean',
        {
          flags: 'qrfnkdxXv',
          values: '',
          long: 'hard soft mixed keep merge quiet cached force dry-run ignore-unmatch verbose',
        },
      ],
      [
        'rev-parse ls-files ls-tree show-ref symbolic-ref merge-base describe name-rev check-ignore cat-file for-each-ref blame reflog count-objects var hash-object annotate cherry',
        {
          flags: 'rtdzqvcomksplwCeMn',
          values: 'L',
          long: 'show-toplevel abbrev-ref short verify git-dir is-inside-work-tree symbolic-full-name show-prefix show-cdup others exclude-standard cached modified deleted stage full-name error-unmatch name-only name-status long heads tags hash is-ancestor all fork-point octopus always dirty exact-match match= abbrev no-index verbose quiet format= sort= count= points-at= contains merged no-merged date= porcelain line-porcelain show-email root',
        },
      ],
      ['ls-remote', { flags: 'htq', long: 'heads tags refs quiet exit-code symref sort= get-url' }],
      [
        'grep',
        {
          flags: 'nilwvcEFGPHhrIaqoL0pW',
          values: 'eABC',
          long: 'line-number ignore-case files-with-matches files-without-match name-only word-regexp invert-match count extended-regexp fixed-strings perl-regexp cached untracked no-index max-depth= and or not heading break color no-color show-function function-context',
        },
      ],
      [
        'worktree',
        {
          flags: 'fdq',
          values: 'bB',
          long: 'force detach porcelain quiet checkout no-checkout track no-track dry-run verbose',
        },
      ],
      ['bisect', { operands: /^(?:start|good|bad|new|old|skip|reset|log|HEAD.*|v?[\d.a-f]+)$/ }],
      [
        'apply',
        {
          flags: 'R3vN',
          attached: 'pC',
          long: 'check stat numstat summary index cached reverse 3way verbose reject recount whitespace=',
        },
      ],
      [
        'format-patch',
        { flags: 'nNks0123456789', values: 'o', long: 'output-directory= stdout signoff root' },
      ],
      ['help version', {}],
      [
        'submodule',
        { flags: 'q', long: 'quiet recursive cached', operands: /^(?!(?:foreach|update|add|set-url)$)/ },
      ],
    ] as [string, KnownOptions][]
  ).flatMap(([names, known]) => names.split(' ').map((name) => [name, known] as const)),
);

const GIT_SETTINGS =
  /^(?:user\.(?:name|email)|init\.defaultBranch|pull\.(?:rebase|ff)|push\.(?:default|autoSetupRemote)|core\.(?:autocrlf|fileMode|ignoreCase|quotePath)|color\.ui|commit\.gpgSign|advice\.\w+)$/i;

export function isKnownGit(args: readonly string[]): boolean {
  if (args.length === 1 && /^(?:--version|--help|-v|-h)$/.test(args[0] ?? '')) return true;
  const before = readOptions(args, { flags: 'P', values: 'C', long: 'no-pager', ends: true });
  const [name] = before?.operands ?? [];
  if (before === null || name === undefined) return false;
  const { rest } = before;
  // Another program serves an address like `ext::…`.
  if (rest.some((arg) => /(?:^|=)\w+::/.test(arg))) return false;
  if (name === 'config') return isKnownConfig(rest);
  const known = GIT.get(name);
  return known !== undefined && readOptions(rest, known) !== null;
}

/** Reads settings, or changes one that names no program and no file. */
function isKnownConfig(args: readonly string[]): boolean {
  const reads = {
    flags: 'lz',
    long: 'get get-all get-regexp list global local system show-origin show-scope name-only',
  };
  const read = readOptions(args, reads);
  if (read === null) return false;
  const isRead = args.some((arg) => /^(?:-l|--list|--get|--get-all|--get-regexp)$/.test(arg));
  const [first = '', second] = read.operands;
  if (isRead || ['get', 'list'].includes(first) || second === undefined) return true;
  return GIT_SETTINGS.test(first === 'set' ? second : first);
}

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

export function isKnownAwk(args: readonly string[]): boolean {
  if (args.length === 1 && args[0] === '--version') return true;
  const read = readOptions(args, { values: 'Fv', ends: true });
  const [program] = read?.operands ?? [];
  return program !== undefined && !/system|[|@\uE000]|getline|\\\n/.test(program);
}

export function isKnownSqlite(args: readonly string[]): boolean {
  const words = /^--?(?:header|noheader|csv|json|column|line|list|box|table|markdown|readonly|batch|bail)$/;
  const [, ...statements] = readOptions(args, { words })?.operands ?? [];
  return (
    statements.length > 0 &&
    statements.every(
      (sql) =>
        /^\s*(?:select|insert|update|delete|create|drop|alter|pragma|with|explain|replace|vacuum)\b/i.test(
          sql,
        ) && !/\n\s*\.|edit|extension|writefile|\uE000/i.test(sql),
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
  if (/^[^-]/.test(first))
    return /^[xctruAdvzjJakpPhOSmUifCbXN]+$/.test(first) && readOptions(rest, known) !== null;
  return readOptions(args, known) !== null;
}

const PYTHON: KnownOptions = {
  flags: 'BEIOPsSuvqbd',
  values: 'WX',
  ends: true,
};
const PYTHON_MODULES =
  /^(?:pytest|unittest|venv|json\.tool|mypy|ruff|black|isort|flake8|compileall|http\.server|build|pip)$/;

export function isKnownPython(args: readonly string[]): boolean {
  const at = args.indexOf('-m');
  const before = at === -1 ? null : readOptions(args.slice(0, at), PYTHON);
  if (before?.operands.length !== 0) return isKnownScript(args, PYTHON);
  const [name = '', ...rest] = args.slice(at + 1);
  const isCode = (arg: string) => /^--?(?:p[dy]|tr|ed|co|c$|c=)/.test(arg) || arg.includes(SEVERAL);
  return (
    PYTHON_MODULES.test(name) && !rest.some((arg) => isCode(arg) || (name === 'pip' && arg === 'config'))
  );
}

/** An interpreter with a script in a file, which is a program like any other. */
export function isKnownScript(args: readonly string[], known: KnownOptions): boolean {
  if (args.length > 0 && args.every((arg) => /^(?:--?version|-[vVh]|--help)$/.test(arg))) return true;
  const [script] = readOptions(args, { ...known, ends: true })?.operands ?? [];
  if (script === undefined) return args.includes('--test') && readOptions(args, known) !== null;
  return !isInput(script);
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
      values: 'kotST',
      long: 'key= field-separator= output= reverse numeric-sort unique version-sort human-numeric-sort ignore-case stable parallel= buffer-size= temporary-directory= check zero-terminated random-sort general-numeric-sort month-sort dictionary-order ignore-leading-blanks merge version help',
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
      values: 'OPTtUo',
      long: 'output-document= quiet no-verbose show-progress continue header= timeout= tries= user-agent= no-check-certificate directory-prefix= spider recursive post-data= method= server-response version help',
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
  ['less more', { flags: 'RSNFXiIMrEs', operands: /^[^+]/ }],
  ['tcpdump', { flags: 'nvlAXexqtDpS', values: 'icwrs' }],
  ['ninja', { flags: 'nvd', values: 'Cjkl', long: 'version verbose quiet' }],
  ['just', { flags: 'ln', long: 'list summary dry-run version', operands: /^[^=]*$/ }],
];

export const SSH_OPTIONS: KnownOptions = {
  flags: 'tTvqnNCAaxXfgkK46Yy',
  values: 'iplLRD',
  words: /^-o(?:StrictHostKeyChecking|ConnectTimeout|BatchMode|LogLevel|ServerAliveInterval)=\w+$/,
  ends: true,
};

export const NPM_OPTIONS: KnownOptions = {
  flags: 'DESOPgwsvfyl',
  long: 'no-audit no-fund prefer-offline silent workspace= workspaces save-dev save-exact save if-present omit= include= production global force legacy-peer-deps ignore-scripts json depth= all long version dry-run include-workspace-root package-lock-only no-save help yes otp= access= tag=',
};

export const NODE_OPTIONS: KnownOptions = {
  flags: 'c',
  long: 'check test watch enable-source-maps no-warnings trace-warnings trace-deprecation trace-uncaught experimental-strip-types experimental-transform-types max-old-space-size stack-trace-limit test-name-pattern= test-timeout test-concurrency test-only expose-gc unhandled-rejections preserve-symlinks prof cpu-prof',
};
