/** What any program needs: where things are, how to speak, how to reach the network. None of them holds a secret. */
const PROGRAM = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TZ',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  'FORCE_COLOR',
  'TMPDIR',
  'XDG_*',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  // How deep agents are in agents: a chain of them must come to an end.
  'AMPLIFIER_DEPTH',
];

/** Where compilers, package managers and runtimes are, and how they are set. */
const DEVELOPMENT = [
  'CI',
  'CC',
  'CXX',
  'CFLAGS',
  'CPPFLAGS',
  'CXXFLAGS',
  'LDFLAGS',
  'MAKEFLAGS',
  'PKG_CONFIG_PATH',
  'LD_LIBRARY_PATH',
  'LIBRARY_PATH',
  'CPATH',
  'SDKROOT',
  'DEVELOPER_DIR',
  'HOMEBREW_PREFIX',
  'NIX_*',
  'NODE_ENV',
  'NODE_PATH',
  'NVM_DIR',
  'NVM_BIN',
  'PNPM_HOME',
  'VOLTA_HOME',
  'BUN_INSTALL',
  'DENO_DIR',
  'PYTHONPATH',
  'PYENV_ROOT',
  'VIRTUAL_ENV',
  'CONDA_PREFIX',
  'CONDA_DEFAULT_ENV',
  'GOPATH',
  'GOROOT',
  'GOBIN',
  'GOCACHE',
  'GOMODCACHE',
  'GOFLAGS',
  'CARGO_HOME',
  'CARGO_TARGET_DIR',
  'RUSTUP_HOME',
  'RUSTFLAGS',
  'RUST_BACKTRACE',
  'JAVA_HOME',
  'ANDROID_HOME',
  'GRADLE_USER_HOME',
  'MAVEN_HOME',
  'DOTNET_ROOT',
  'GEM_HOME',
  'GEM_PATH',
  'RBENV_ROOT',
  'PERL5LIB',
];

/** An address with a password in it, as a proxy may have. */
const CREDENTIALS = /:\/\/[^/@\s]*:[^/@\s]*@/;

/**
 * The environment of a command that a session runs: the names above and what `pass` adds (`NAME`, or `PREFIX_*`), and nothing else
 * of ours. Names that hide secrets cannot be listed, names that hold none can.
 */
export function commandEnv(
  own: NodeJS.ProcessEnv = process.env,
  pass: readonly string[] = [],
): Record<string, string> {
  return programEnv(own, pass, [...PROGRAM, ...DEVELOPMENT]);
}

/** The environment of a program that brings its own tools, such as an external agent. */
export function programEnv(
  own: NodeJS.ProcessEnv,
  pass: readonly string[] = [],
  common: readonly string[] = PROGRAM,
): Record<string, string> {
  // Without it bash takes our pipe for a remote login and reads the start-up files of the user.
  const env: Record<string, string> = { SHLVL: '1' };
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    const isCommon = isNamed(name, common) && !CREDENTIALS.test(value);
    if (isCommon || isNamed(name, pass)) env[name] = value;
  }
  return env;
}

function isNamed(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}
