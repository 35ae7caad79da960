import { isInput, type KnownOptions, readOptions } from './read-options.js';

const PYTHON: KnownOptions = { flags: 'BEIOPsSuvqbd', values: 'WX', ends: true };

/** A warning category is imported by its name, and `-X` can name modules and files. */
const SETTINGS =
  /^(?:default|error|always|module|once|ignore|all|dev|utf8(?:=[01])?|faulthandler|importtime|showrefcount|tracemalloc(?:=\d+)?)(?:::[A-Z]\w*)?$/;

/** Modules of Python that are also programs, with the options that make them run no code but that of the project. */
export const PYTHON_TOOLS: readonly [names: string, known: KnownOptions][] = [
  [
    'pytest py.test',
    {
      flags: 'qvxsl',
      values: 'kmn',
      attached: 'r',
      long: 'quiet verbose exitfirst maxfail= tb= lf last-failed ff failed-first sw stepwise durations= durations-min= collect-only disable-warnings strict-markers runxfail showlocals capture= color= deselect= ignore= ignore-glob= timeout= cov no-cov no-header no-summary version help',
      words: /^--cov-report=term(?:-missing)?$/,
    },
  ],
  [
    'unittest',
    {
      flags: 'vqfbc',
      values: 'kspt',
      long: 'verbose quiet failfast buffer catch locals start-directory= pattern= top-level-directory=',
    },
  ],
  ['venv', { long: 'system-site-packages symlinks copies upgrade upgrade-deps without-pip prompt=' }],
  ['json.tool', { long: 'sort-keys json-lines no-ensure-ascii compact tab no-indent indent=', most: 1 }],
  [
    'mypy',
    {
      flags: 'v',
      long: 'strict ignore-missing-imports no-error-summary show-error-codes pretty no-color-output follow-imports= python-version= exclude= no-incremental warn-unused-ignores check-untyped-defs explicit-package-bases namespace-packages version help',
    },
  ],
  [
    'ruff',
    {
      flags: 'qv',
      long: 'fix no-fix select= ignore= extend-select= line-length= diff check unsafe-fixes exclude= statistics output-format= no-cache quiet verbose show-fixes exit-zero version help target-version=',
    },
  ],
  [
    'black',
    {
      flags: 'qvSC',
      values: 'lt',
      long: 'check diff quiet verbose line-length= target-version= skip-string-normalization exclude= include= color fast safe version help',
    },
  ],
  [
    'isort',
    {
      flags: 'cqdv',
      values: 'l',
      long: 'check check-only diff profile= quiet line-length= version help',
    },
  ],
  [
    'flake8',
    {
      flags: 'qv',
      long: 'max-line-length= ignore= extend-ignore= select= exclude= count statistics show-source max-complexity= version help',
    },
  ],
  ['compileall', { flags: 'qflb', values: 'j' }],
  ['http.server', { values: 'bd', long: 'bind= directory=', operands: /^\d+$/ }],
  ['build', { flags: 'swn', long: 'sdist wheel no-isolation version help' }],
  [
    'pip',
    {
      flags: 'qvyU',
      values: 'rce',
      long: 'upgrade quiet verbose user no-deps no-cache-dir requirement= constraint= editable= dry-run pre break-system-packages disable-pip-version-check no-input outdated uptodate format= yes force-reinstall ignore-installed prefer-binary only-binary= version help',
      operands: /^(?!(?:config|debug)$)/,
    },
  ],
];

const BY_NAME = new Map(
  PYTHON_TOOLS.flatMap(([names, known]) => names.split(' ').map((name) => [name, known] as const)),
);

/** A script in a file, or a module with options that are known. */
export function isKnownPython(args: readonly string[]): boolean {
  if (args.length > 0 && args.every((arg) => /^(?:--version|-[Vh]|--help)$/.test(arg))) return true;
  const at = args.indexOf('-m');
  const before = readOptions(at === -1 ? args : args.slice(0, at), PYTHON);
  if (before === null || !before.values.every(({ value }) => SETTINGS.test(value))) return false;
  const [script] = before.operands;
  if (script !== undefined) return !isInput(script);
  const known = at === -1 ? undefined : BY_NAME.get(args[at + 1] ?? '');
  return known !== undefined && readOptions(args.slice(at + 2), known) !== null;
}
