import { join, relative } from 'node:path';
import { type JsonObject, parseBoundedJson, sanitizeText } from '@amplifier/core';
import {
  type AgentSearchPath,
  agentFileReader,
  type LoadedSettings,
  listAgentFiles,
  OTHER_TOOLS,
  otherAgentFolders,
  type Places,
  parseYamlMapping,
  splitFrontmatter,
  UNKNOWN_PLACE,
} from '@amplifier/foundation';
import { isWithin } from '@amplifier/workspace';
import type { HostPaths } from '../host-paths.js';
import { amplifierHookFiles, claudeHooksIn, claudeSettingsFiles } from '../other-tools/claude-settings.js';
import { mcpJsonFile } from '../other-tools/mcp-json.js';
import { projectServerFiles } from '../other-tools/tool-servers.js';
import { readSmallFile } from '../project/read-json-file.js';
import { hookImports } from './hook-imports.js';
import { actsOfAgent, inertSettings } from './inert-parts.js';
import { digestOf, type LocalFiles, openLocalFiles, unknowable } from './local-files.js';
import { runCommands } from './run-commands.js';
import { actsIn } from './words-of-acts.js';

/** Something in a folder that would run, load, reach or allow something if the folder were trusted. */
export interface ActingPart {
  /** From the folder. */
  file: string;
  /** In words for a person, such as `runs: ./setup.sh`. */
  what: string;
}

export interface ActingParts {
  parts: ActingPart[];
  /** Changes whenever any of it changes, the local files it names included. Empty when there is nothing. */
  digest: string;
  /** The files that take part, with their digests: what is named as a module, a script or a program. */
  files: Record<string, string>;
  /** Those of them that sessions must not write. */
  locked: string[];
  /** The agent files as they were, by path: the digest of each. */
  agents: ReadonlyMap<string, string>;
}

/** Everything in the project's own files that may act. Reads, runs nothing, follows no link out of the folder. Adds every path that decides it to `places`. */
export async function actingParts(
  paths: HostPaths,
  settings: LoadedSettings,
  places: Places,
): Promise<ActingParts> {
  const files = openLocalFiles(paths.cwd, places);
  // Packages that scripts of hooks load are part of the digest, those of servers and agents are not.
  const ofHooks = openLocalFiles(paths.cwd, places, { ofCommands: true });
  const ofServers = openLocalFiles(paths.cwd, places, { ofCommands: true });
  const parts: ActingPart[] = [];
  const digests: string[] = [];
  const agents = new Map<string, string>();
  const manifests: Record<string, string> = {};
  const run = new Set<string>();
  const served = new Set<string>();
  const interpreters = new Map<string, string>();
  const add: Add = async (path, acts, content, { isHooks = false, names = content } = {}) => {
    const commands = await runCommands(names, isHooks, paths.cwd, files);
    if (acts.length === 0 && commands.length === 0) return;
    const file = relative(paths.cwd, path);
    const shown = new Set(acts);
    const ran: unknown[] = [];
    for (const command of commands) {
      const scripts = command.isHook ? ofHooks : ofServers;
      ran.push(await scripts.filesAt(command.paths, command.folders));
      if (command.isOpen) shown.add(`runs something that cannot be pinned: ${command.text}`);
      if (command.isTooLong) {
        shown.add('runs a command that is too long: it has to be trusted again at each start');
        ran.push(unknowable());
      }
      for (const path of command.paths) (command.isHook ? run : served).add(path);
      for (const [path, by] of command.scripts) interpreters.set(path, by);
      for (const path of command.manifests) {
        places.add(path);
        const text = await readSmallFile(path).catch(() => '(cannot be read)');
        if (text !== null) manifests[path] = digestOf(text);
        ran.push(manifests[path]);
      }
    }
    parts.push(...[...shown].map((what) => ({ file, what: plainText(what) })));
    digests.push(digestOf([file, content, await files.namedIn(names), ran]));
  };
  for (const scope of ['project', 'local'] as const) {
    const said = settings.scopes[scope];
    if (!said) continue;
    const acting = withoutMembers(said, inertSettings(said));
    await add(paths.settings[scope], actsIn(acting), acting);
  }
  await addAgents(paths, agents, places, add);
  await addFolder(join(paths.project, 'bundles'), 'brings a bundle', files, add);
  await addFolder(join(paths.project, 'routing'), 'chooses models', files, add);
  await addDocuments(files, add);
  places.add(join(paths.project, 'hooks'));
  for (const file of [...claudeSettingsFiles(paths.cwd), ...(await amplifierHookFiles(paths.project))]) {
    places.add(file);
    const hooks = await claudeHooksIn(file).catch(() => ({ unreadable: true }));
    if (Object.keys(hooks).length > 0) await add(file, actsIn({ hooks }), hooks, { isHooks: true });
  }
  // Scripts of hooks use each other, and what a command names is not always literal.
  const folders = [join(paths.cwd, '.claude', 'hooks'), join(paths.project, 'hooks')];
  if (run.size > 0)
    for (const folder of folders)
      digests.push(digestOf([relative(paths.cwd, folder), await ofHooks.digestAt(folder)]));
  const isRun = (file: string) => run.has(file) || folders.some((folder) => isWithin(folder, file));
  const scripts = Object.keys(ofHooks.looked());
  const imports = await hookImports({ files: scripts, isRun, interpreters, follow: true }, paths.cwd);
  // Where a module is found depends on folders that are not listed.
  if (scripts.length > 0) places.add(UNKNOWN_PLACE);
  if (imports.digest !== '') digests.push(imports.digest);
  parts.push(...imports.unpinned);
  for (const { file, read } of projectServerFiles(new Set(['opencode', 'codex']), paths.cwd)) {
    places.add(file);
    // What cannot be read names nothing; once it can it is something new.
    const { servers } = await read().catch(() => ({ servers: {} }));
    if (Object.keys(servers).length > 0) await add(file, actsIn({ mcp_servers: servers }), servers);
  }
  for (const file of [mcpJsonFile(paths.cwd), join(paths.project, 'acp.json')]) {
    places.add(file);
    const text = await readSmallFile(file).catch(() => '(cannot be read)');
    if (text === null) continue;
    const { acts, names } = actsInText(text);
    await add(file, acts, text, { names });
  }
  const started = {
    files: Object.keys(ofServers.looked()),
    isRun: (file: string) => served.has(file),
    interpreters,
    follow: false,
  };
  parts.push(...(await hookImports(started, paths.cwd)).unpinned);
  for (const { file, what } of [...ofHooks.unpinned(), ...ofServers.unpinned()])
    parts.push({ file, what: plainText(what) });
  const digest = digests.length === 0 ? '' : digestOf(digests.sort());
  const looked = { ...files.looked(), ...ofHooks.looked(), ...ofServers.looked() };
  const locked = [...new Set([...Object.keys(looked), ...imports.locked])];
  return { parts, digest, agents, files: { ...looked, ...imports.files, ...manifests }, locked };
}

/** Where other tools keep the agents of a project. */
export function projectAgentFolders(cwd: string): AgentSearchPath[] {
  return otherAgentFolders(new Set(OTHER_TOOLS), { home: cwd, cwd });
}

/** `isHooks`: is all of the content hooks? `names`: the content as it is searched for commands and files. */
type Add = (
  path: string,
  acts: readonly string[],
  content: unknown,
  options?: { isHooks?: boolean; names?: unknown },
) => Promise<void>;

/** On one line, and without control characters. */
function plainText(what: string): string {
  return sanitizeText(what).replaceAll('\n', ' ');
}

async function addAgents(
  { project, cwd }: HostPaths,
  agents: Map<string, string>,
  places: Places,
  add: Add,
): Promise<void> {
  const read = agentFileReader();
  const own: AgentSearchPath = { path: join(project, 'agents'), origin: 'project', confine_to: cwd };
  const folders = [own, ...projectAgentFolders(cwd)];
  const found = await Promise.all(folders.map((folder) => listAgentFiles(folder, places)));
  // An agent in a configuration file may name another file that holds its text.
  if (folders.some(({ namesIn }, index) => namesIn && found[index]?.length !== 0)) places.add(UNKNOWN_PLACE);
  for (const { path } of found.flat()) {
    places.add(path);
    // One that cannot be read is no agent either; whoever lists them says what is wrong with it.
    const file = await read(path).catch(() => null);
    if (file === null) continue;
    agents.set(path, file.digest);
    const acting = actsOfAgent(file.agent.frontmatter);
    await add(path, actsIn(acting), acting);
  }
}

/** Folders whose files are taken as they are: each counts with all it holds. */
async function addFolder(folder: string, what: string, files: LocalFiles, add: Add): Promise<void> {
  const names = await files.namesAt(folder);
  if (names === null)
    return add(folder, [`${what}, from a source that cannot be reviewed`], await files.digestAt(folder));
  for (const name of names) await add(join(folder, name), [what], await files.digestAt(join(folder, name)));
}

/** Bundles and agents among the files that were looked at have commands, too. Their own contents are in a digest already. */
async function addDocuments(files: LocalFiles, add: Add): Promise<void> {
  for (const path of Object.keys(files.looked()).filter((path) => /\.(md|ya?ml)$/i.test(path))) {
    const text = await readSmallFile(path).catch(() => null);
    await add(path, [], null, { names: documentIn(text ?? '', path) });
  }
}

/** The YAML of a file, or of the beginning of a Markdown file. What cannot be parsed is no bundle. */
function documentIn(text: string, file: string): JsonObject {
  try {
    const { frontmatter, body } = splitFrontmatter(text, file);
    const yaml = frontmatter ?? (/\.md$/i.test(file) ? '' : body);
    return parseYamlMapping({ text: yaml, file }).data;
  } catch {
    return {};
  }
}

function actsInText(text: string): { acts: string[]; names: unknown } {
  try {
    const document = parseBoundedJson(text, 'The file') as JsonObject;
    return { acts: actsIn(document), names: document };
  } catch {
    return { acts: ['names programs, in a file that is not valid JSON'], names: text };
  }
}

/** The settings without those that count anyway. */
function withoutMembers(settings: JsonObject, inert: JsonObject): JsonObject {
  const rest = structuredClone(settings);
  const { delegation } = rest as { delegation?: JsonObject };
  if (delegation && inert.delegation) {
    for (const name of Object.keys(inert.delegation)) delete delegation[name];
    if (Object.keys(delegation).length === 0) delete rest.delegation;
  }
  return rest;
}

/** For whoever has to compare two lists. */
export function partKey({ file, what }: ActingPart): string {
  return `${file}: ${what}`;
}
