import { basename } from 'node:path';

const NODE = ['package.json'];
const PYTHON = ['pyproject.toml'];

/** Programs that run what another file, an installed package or the network says, with the file that names it in a project. */
const RUNS_MORE: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx'].map((name) => [name, NODE])),
  deno: ['deno.json', 'deno.jsonc'],
  ...Object.fromEntries(
    ['uv', 'uvx', 'poetry', 'pdm', 'hatch', 'pipx', 'pipenv', 'rye', 'pixi', 'tox', 'nox'].map((name) => [
      name,
      PYTHON,
    ]),
  ),
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  rake: ['Rakefile'],
  bundle: ['Gemfile'],
  composer: ['composer.json'],
  cargo: ['Cargo.toml'],
  go: ['go.mod'],
  mvn: ['pom.xml'],
  gradle: ['build.gradle', 'build.gradle.kts'],
  gradlew: ['build.gradle', 'build.gradle.kts'],
  mise: ['mise.toml', '.mise.toml'],
  'pre-commit': ['.pre-commit-config.yaml'],
  lefthook: ['lefthook.yml'],
  docker: ['compose.yaml', 'docker-compose.yml'],
  'docker-compose': ['compose.yaml', 'docker-compose.yml'],
  podman: ['compose.yaml', 'docker-compose.yml'],
  ninja: ['build.ninja'],
  cmake: ['CMakeLists.txt'],
  bazel: ['BUILD', 'BUILD.bazel'],
  ant: ['build.xml'],
  sbt: ['build.sbt'],
  dotnet: [],
  swift: ['Package.swift'],
  dart: ['pubspec.yaml'],
  mix: ['mix.exs'],
  turbo: ['turbo.json'],
  nx: ['nx.json'],
  nix: ['flake.nix'],
  direnv: ['.envrc'],
};

/** Programs that fetch and start what their arguments name. As servers and agents they depend on no file of the project. */
const LAUNCHERS = new Set(['npx', 'pnpx', 'bunx', 'uvx', 'pipx', 'docker', 'podman']);

/** The files that say what a program runs. Null for a program that runs only the files its arguments name. */
export function manifestsOf(program: string, isHook: boolean): readonly string[] | null {
  const name = basename(program);
  if (!Object.hasOwn(RUNS_MORE, name)) return null;
  return !isHook && LAUNCHERS.has(name) ? [] : (RUNS_MORE[name] ?? null);
}
