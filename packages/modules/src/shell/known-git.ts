import { type KnownOptions, readOptions } from './read-options.js';

const GIT_DIFF: KnownOptions = {
  flags: 'pusbwaRBMCDWzvqicm0123456789',
  values: 'SGnU',
  long: 'stat numstat shortstat name-only name-status cached staged summary patch no-patch raw word-diff color color-words no-color no-ext-diff no-textconv no-renames minimal patience histogram check exit-code quiet binary full-index ignore-all-space ignore-space-change ignore-blank-lines ignore-space-at-eol find-renames diff-filter= unified= no-index merge-base relative text follow oneline graph decorate no-decorate all branches tags remotes reverse merges no-merges first-parent pretty format= abbrev-commit abbrev no-abbrev-commit date= since= until= after= before= author= committer= grep= max-count= skip= cherry-pick left-right topo-order date-order not no-walk count stat-count dirstat submodule compact-summary no-prefix',
};

const GIT_FETCH =
  'all prune tags no-tags depth= unshallow force quiet verbose progress no-progress dry-run jobs= set-upstream shallow-since= recurse-submodules no-recurse-submodules';

/** By subcommand. One that is missing may be an alias. */
const GIT = new Map<string, KnownOptions>(
  (
    [
      ['diff log show diff-tree diff-index diff-files rev-list whatchanged', GIT_DIFF],
      [
        'shortlog',
        {
          flags: 'nsec',
          long: 'numbered summary email committer no-merges merges since= until= after= before= author= all first-parent',
        },
      ],
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
          values: 'mFC',
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
        'merge revert cherry-pick pull',
        {
          flags: 'qvner',
          values: 'mX',
          long: `abort continue skip quit no-commit no-edit no-ff ff ff-only squash message= rebase no-rebase autostash no-autostash no-stat stat mainline= strategy-option= allow-unrelated-histories allow-empty ${GIT_FETCH}`,
        },
      ],
      [
        'rebase',
        {
          flags: 'qvnm',
          values: 'X',
          long: 'abort continue skip quit onto= autostash no-autostash autosquash keep-base root no-stat stat strategy-option= quiet verbose',
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
          flags: 'nilwvcEFGPHhrIaqoLpW',
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
      ['format-patch', { flags: 'nNks0123456789', long: 'stdout signoff root' }],
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
