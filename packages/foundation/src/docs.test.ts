import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TempWorkspace } from '@amplifier/testkit';
import { x } from 'tinyexec';
import { describe, expect, it } from 'vitest';
import { AgentLoader } from './agents/agent-loader.js';
import { AgentResolver } from './agents/agent-resolver.js';
import { composeMatrix } from './routing/compose-matrix.js';
import { loadMatrix } from './routing/load-matrix.js';
import { MODEL_ROLES } from './routing/model-roles.js';
import { ROUTING_DIR } from './routing/plan-roles.js';
import { loadSettings } from './settings/load-settings.js';

const DOCS = fileURLToPath(new URL('../../../docs', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** The blocks of a page that name a file, written to a folder as a reader would write them. */
async function followed(page: string) {
  const text = await readFile(join(DOCS, page), 'utf8');
  const blocks = [...text.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)];
  const files = Object.fromEntries(blocks.map(([, file = '', content = '']) => [file, content]));
  const workspace = await TempWorkspace.create(files);
  return {
    text,
    workspace,
    /** Runs the example of the page in the folder, where the packages are installed. */
    async run(): Promise<string> {
      await symlink(MODULES, workspace.resolve('node_modules'));
      const { stdout } = await x(process.execPath, ['example.mjs'], {
        throwOnError: true,
        nodeOptions: { cwd: workspace.path },
      });
      return stdout;
    },
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

describe('the examples in the documentation', () => {
  it('agents.md: the agent loads and the program runs', async () => {
    await using page = await followed('agents.md');
    const searchPaths = [{ path: page.workspace.resolve('.amplifier/agents'), origin: 'project' }];
    const { agents, problems } = await new AgentLoader({
      resolver: new AgentResolver({ searchPaths }),
    }).listAgents();
    expect(problems).toEqual([]);
    expect(agents.map(({ name }) => name)).toEqual(['project-reviewer']);
    const output = await page.run();
    expect(output).toMatch(/^project .*project-reviewer\.md/);
    expect(output).toContain("[ 'tool-bash', 'tool-filesystem', 'tool-search' ]");
  });

  it('bundles.md: the bundle loads without a warning, the settings are valid and the program runs', async () => {
    await using page = await followed('bundles.md');
    expect(await page.run()).toBe('loop-streaming 9\n---\n');
    const { settings } = await loadSettings({ project: page.workspace.resolve('.amplifier/settings.yaml') });
    expect(settings.bundle?.active).toBe('team');
  });

  it('routing.md: every role is explained, the matrix and the overrides are valid and the program runs', async () => {
    await using page = await followed('routing.md');
    for (const role of Object.keys(MODEL_ROLES)) expect(page.text).toContain(`| \`${role}\` |`);
    const house = await loadMatrix('house', [page.workspace.resolve('.amplifier/routing')]);
    expect(Object.keys(house.roles)).toEqual(['general', 'fast', 'reasoning']);
    const { settings } = await loadSettings({ project: page.workspace.resolve('.amplifier/settings.yaml') });
    const composed = composeMatrix(await loadMatrix('balanced', [ROUTING_DIR]), settings.routing?.overrides);
    expect(composed.roles.poetry?.description).toBe('Verse.');
    expect(await page.run()).toBe('general ollama llama3.1:70b true\n');
  });
});
