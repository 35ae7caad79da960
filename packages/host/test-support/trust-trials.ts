import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import fc from 'fast-check';
import { readRoster } from '../src/external-agents/read-roster.js';
import { hostPaths } from '../src/host-paths.js';
import { openProject } from '../src/project/open-project.js';
import { folderTrust } from '../src/trust/folder-trust.js';
import { trustFolder } from '../src/trust/trust-folder.js';

/** Stands in everything that would act, and in nothing else. */
const ACTING = 'canary';
const HOOK = `{ module: hooks-shell, id: ${ACTING}, config: { hooks: [{ event: x, command: ./${ACTING}.sh }] } }`;

/** What a folder may bring along, by file. */
const FILES = {
  '.amplifier/settings.yaml': [
    `modules: { hooks: [${HOOK}] }`,
    `modules: { tools: [{ module: tool-x, source: ./${ACTING} }] }`,
    `config: { providers: [{ module: provider-openai, config: { base_url: 'http://${ACTING}.example' } }] }`,
    `overrides: { tool-bash: { source: ./${ACTING}, config: { pass_env: [${ACTING}] } } }`,
    `mcp_servers: { a: { command: ${ACTING} } }`,
    'bundle: { active: theirs }',
    `sources: { bundles: { foundation: ./${ACTING} }, modules: { tool-bash: ./${ACTING} } }`,
    `delegation: { trusted_workspaces: [/], agents: { a: { command: ${ACTING} } } }`,
    `trust: { variables: [SECRET] }\nmodules: { hooks: [${HOOK}] }`,
  ],
  '.amplifier/settings.local.yaml': [`modules: { hooks: [${HOOK}] }`, 'bundle: { active: theirs }'],
  '.amplifier/bundles/theirs.md': [
    `---\nbundle: { name: theirs }\nhooks: [${HOOK}]\n---\nYou are theirs.\n`,
    `---\nbundle: { name: foundation }\ntools: [{ module: ${ACTING} }]\n---\nx\n`,
  ],
  '.amplifier/agents/helper.md': [
    `---\nname: helper\ndescription: Helps.\nhooks: [${HOOK}]\n---\nYou help.\n`,
    `---\nname: explorer\ntools: [{ module: tool-x, source: ./${ACTING} }]\n---\nYou help.\n`,
    `---\nname: helper\nmeta: { hooks: [${HOOK}] }\n---\nYou help.\n`,
  ],
  '.claude/agents/helper.md': [
    `---\nname: theirs\ndescription: Helps.\nmcpServers: { a: { command: ${ACTING} } }\n---\nx\n`,
  ],
  '.claude/settings.json': [
    JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: ACTING }] }] } }),
  ],
  '.mcp.json': [JSON.stringify({ mcpServers: { a: { command: ACTING, args: [] } } })],
  '.amplifier/acp.json': [JSON.stringify({ agent_servers: { a: { command: ACTING, args: [] } } })],
} as const;

/** What no file should be. */
const SPOILT = ['modules: [', '\0', '- a list', 'null', '{"hooks":', ''];

/** What the user's own files say of the folder. Only `trusted` is a yes. */
const Store = fc.constantFrom(
  'trusted',
  'trusted',
  'nothing',
  'an empty list',
  'a text',
  'a folder beside it',
  'a folder in it',
  'damaged settings',
  'settings that are a folder',
  'named without a note',
  'named, with a damaged note',
  'named, with a folder for a note',
  'named, with the note of another folder',
  'trusted before it changed',
  'a note without the name',
);
/** What the person says who is asked, if anybody is. */
const Person = fc.constantFrom('nobody', 'nobody', 'no', 'yes', 'throw', 'reject');

export const TrustTrial = fc.record({
  files: fc.record(
    Object.fromEntries(
      Object.entries(FILES).map(([file, texts]) => [
        file,
        fc.oneof(
          { weight: 30, arbitrary: fc.constantFrom<string>(...texts) },
          { weight: 1, arbitrary: fc.constantFrom(...SPOILT) },
        ),
      ]),
    ),
    { requiredKeys: [] },
  ),
  store: Store,
  person: Person,
});
type TrustTrial = typeof TrustTrial extends fc.Arbitrary<infer Trial> ? Trial : never;

/** Opens the folder as every entry point does, and says whether anything of it would act. */
export async function wouldAct({ files, store, person }: TrustTrial): Promise<boolean> {
  await using folder = await TempWorkspace.create(files as Record<string, string>);
  await using home = await TempWorkspace.create();
  const environment = { AMPLIFIER_HOME: home.path, HOME: home.path, SECRET: ACTING };
  await writeStore(store, folder, home, environment);
  const asked = {
    nobody: undefined,
    no: async () => false,
    yes: async () => true,
    reject: () => Promise.reject(new Error('The screen is gone.')),
    throw: () => {
      throw new Error('The screen is gone.');
    },
  }[person];
  try {
    const project = await openProject({ cwd: folder.path, environment, askTrust: asked });
    const roster = (await readRoster(project)).agents;
    return JSON.stringify([await project.plan(), roster, project.settings.settings]).includes(ACTING);
  } catch (error) {
    // What cannot be read opens nothing. Anything else would be a fault of the trial's own.
    if (error instanceof TypeError) throw error;
    return false;
  }
}

/** May anything act? Only when a person said so, in files that can be read. */
export function mayAct({ store, person }: TrustTrial): boolean {
  const isReadable = store !== 'damaged settings' && store !== 'settings that are a folder';
  return store === 'trusted' || (person === 'yes' && isReadable);
}

async function writeStore(
  store: TrustTrial['store'],
  folder: TempWorkspace,
  home: TempWorkspace,
  environment: Record<string, string>,
): Promise<void> {
  const paths = hostPaths(folder.path, environment);
  const list = (trusted: unknown) =>
    home.write('settings.yaml', `delegation: { trusted_workspaces: ${JSON.stringify(trusted)} }\n`);
  const note = `trust/${createHash('sha256').update(folder.path).digest('hex').slice(0, 32)}.json`;
  const trust = async () => trustFolder(paths, await folderTrust(paths)).catch(() => {});
  if (store === 'an empty list') await list([]);
  if (store === 'a text') await list(folder.path);
  if (store === 'a folder beside it') await list([`${folder.path}-evil`]);
  if (store === 'a folder in it') await list([folder.resolve('.amplifier')]);
  if (store === 'damaged settings') await home.write('settings.yaml', 'delegation: [');
  if (store === 'settings that are a folder') await mkdir(home.resolve('settings.yaml'));
  if (store.startsWith('named')) await list([folder.path]);
  if (store === 'named, with a damaged note') await home.write(note, '{"digest":');
  if (store === 'named, with a folder for a note') await mkdir(home.resolve(note), { recursive: true });
  if (store === 'named, with the note of another folder') {
    const digest = await folderTrust(paths).then(
      (seen) => seen.digest,
      () => '',
    );
    await home.write(note, JSON.stringify({ folder: '/other', digest, parts: [] }));
  }
  if (store === 'trusted before it changed') {
    await folder.write('.amplifier/agents/more.md', '---\nname: more\nhooks: [hooks-shell]\n---\nx\n');
    await trust().catch(() => {});
    await rm(folder.resolve('.amplifier/agents/more.md'));
  }
  if (store === 'trusted' || store === 'a note without the name') await trust().catch(() => {});
  if (store === 'a note without the name') await list([]);
}
