import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
import {
  type ExternalAgent,
  errorInfo,
  externalAgents,
  type FoundModel,
  findModels,
  findProgram,
  folderTrust,
  loadSettings,
  moduleSpec,
  programPath,
  redactText,
  writeSetting,
} from '@amplifier/host';
import { z } from 'zod';
import type { Call } from '../wire/call.js';
import { Progress } from '../wire/progress.js';
import { LocalModels, localView } from './discover.js';
import { defineTool } from './tool.js';
import { checkMayWrite, keepTrust, Scope, writeDelegation } from './write-settings.js';

const execute = promisify(execFile);
const INSTALL_MS = 300_000;

const Adapter = z.object({ agent: z.string(), package: z.string(), command: z.string() });

export const setup = defineTool({
  name: 'setup',
  title: 'Set up',
  description:
    'Show what is available (keys in the environment, local model servers, coding agents, missing adapters) and the settings it would write; with write, add what the settings lack. It changes no existing setting, writes no key and trusts no folder.',
  input: z.strictObject({
    scope: Scope.nullish().default('user'),
    write: z.boolean().nullish().default(false).describe('Write the settings. Only after the user agreed.'),
    install_adapters: z
      .boolean()
      .nullish()
      .default(false)
      .describe('Install adapters for installed agents with npm. Only after the user agreed.'),
    working_dir: z.string().min(1).nullish().describe('The working folder. Default: that of this server.'),
  }),
  output: z.object({
    scope: z.enum(['user', 'project']),
    path: z.string().describe('The settings file.'),
    exists: z.boolean(),
    written: z.boolean(),
    providers: z.array(z.string()).describe('Models found, with the source of their key.'),
    local_models: z.array(LocalModels),
    agents: z.array(z.string()).describe('Installed external agents.'),
    proposed: z.array(z.string()).describe('Providers missing from the settings.'),
    adapters: z.object({
      installable: z.array(Adapter),
      installed: z.array(z.object({ agent: z.string(), ok: z.boolean(), detail: z.string() })),
    }),
    trusted: z.boolean().describe('May agents change files in this folder?'),
    next: z.array(z.string()).describe('Suggested next commands.'),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ scope: wanted, write, install_adapters, working_dir }, call) {
    const { service } = call;
    const scope = wanted ?? 'user';
    if (write || install_adapters) checkMayWrite(call);
    const cwd = await service.folder(working_dir);
    const paths = service.paths(cwd);
    const listAgents = async () => externalAgents(await service.hosts.project(cwd));
    const [models, agents, { scopes }, before] = await Promise.all([
      // What listens on this machine, and which keys it has, is for its own user.
      call.owner === null ? findModels(service.environment) : [],
      listAgents(),
      loadSettings(paths.settings),
      folderTrust(paths),
    ]);
    const own = scopes[scope]?.config?.providers ?? [];
    const fresh = models.filter(({ entry }) => !own.some((other) => isNamed(entry, other)));
    if (write) {
      if (fresh.length > 0) {
        const value = [...own, ...fresh.map(({ entry }) => entry)];
        await writeSetting({
          file: paths.settings[scope],
          keysFile: paths.keys,
          path: ['config', 'providers'],
          value,
        });
        await keepTrust(paths, before);
      }
      await writeDelegation(call, paths, scope, { default_safety_mode: 'read_only' });
    }
    const installable = await missingAdapters(agents, cwd, call);
    const installed = install_adapters ? await install(installable, cwd, call) : [];
    const now = installed.length > 0 ? await listAgents() : agents;
    const there = now.filter(({ program }) => program !== null).map(({ name }) => name);
    const { state } = await folderTrust(paths);
    return {
      scope,
      path: paths.settings[scope],
      exists: scopes[scope] !== undefined,
      written: write === true,
      providers: models.map(({ label }) => label),
      local_models: models.filter(({ models: served }) => served !== undefined).map(localView),
      agents: there,
      proposed: fresh.map(({ label }) => label),
      adapters: { installable, installed },
      trusted: state === 'trusted',
      next: [
        ...(state === 'trusted' ? [] : [`amplifier trust ${cwd}`]),
        ...(models.length === 0 && there.length === 0 ? ['amplifier init'] : ['amplifier doctor']),
      ],
    };
  },
  text: ({ path, written, providers, agents, proposed, adapters, next }) =>
    [
      `${written ? 'Written' : 'Would be written'} to ${path}: ${proposed.join('; ') || 'nothing new'}`,
      `Models: ${providers.join('; ') || 'none'}`,
      `Agents: ${agents.join(', ') || 'none'}`,
      ...adapters.installable.map(({ agent, command }) => `${agent} needs its adapter: ${command}`),
      ...adapters.installed.map(({ agent, ok, detail }) => `${agent}: ${ok ? 'installed' : detail}`),
      `Next: ${next.join('; ')}`,
    ].join('\n'),
});

/** Do the settings name this provider already, by its name or by where it is? */
function isNamed({ module, id, config }: FoundModel['entry'], other: unknown): boolean {
  const spec = moduleSpec(other);
  if (spec === null || spec.module !== module) return false;
  const at = (entry: unknown) => (entry as { base_url?: unknown } | undefined)?.base_url;
  return (spec.id ?? module) === (id ?? module) || (id !== undefined && at(spec.config) === at(config));
}

/** Agents whose program is there while the adapter that speaks for it is not. Only what we name ourselves is ever installed. */
async function missingAdapters(
  agents: readonly ExternalAgent[],
  cwd: string,
  { service: { environment } }: Call,
): Promise<z.infer<typeof Adapter>[]> {
  const found = await Promise.all(
    agents.map(async ({ agent: { id, underlying, install }, program }) => {
      // The adapter is the first that is named; others are the program itself, which is there.
      const [, wanted = ''] = /^npm install -g ([@\w./-]+)( [@\w./-]+)*$/.exec(install ?? '') ?? [];
      if (program !== null || underlying === null || wanted === '') return [];
      const there = await findProgram(underlying, environment.PATH ?? '', cwd);
      return there ? [{ agent: id, package: wanted, command: `npm install -g ${wanted}` }] : [];
    }),
  );
  return found.flat();
}

async function install(adapters: readonly z.infer<typeof Adapter>[], cwd: string, call: Call) {
  const { environment } = call.service;
  const results: { agent: string; ok: boolean; detail: string }[] = [];
  const progress = new Progress(call, 'Installing');
  try {
    for (const { agent, package: name } of adapters) {
      progress.say(`Installing ${name}`);
      const options = {
        env: { ...environment, PATH: programPath(environment.PATH, cwd) } as NodeJS.ProcessEnv,
        // The `.npmrc` of the working folder would choose the registry.
        cwd: homedir(),
        timeout: INSTALL_MS,
        signal: call.context.mcpReq.signal,
      };
      const failure = await execute('npm', ['install', '-g', name], options).then(
        () => null,
        (error: unknown) => redactText(errorInfo(error).message).slice(0, 500),
      );
      results.push({ agent, ok: failure === null, detail: failure ?? 'installed' });
    }
  } finally {
    progress.stop();
  }
  return results;
}
