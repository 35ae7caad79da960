import { validateMountPlan } from '@amplifier/core';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { AgentLoader } from './agents/agent-loader.js';
import { AgentResolver } from './agents/agent-resolver.js';
import { AgentFrontmatter } from './agents/agent-schema.js';
import { BUILT_IN_BUNDLE } from './built-in-bundle.js';
import { bundleToMountPlan } from './bundles/bundle.js';
import { BundleLoader, bundleSearchPaths } from './bundles/bundle-loader.js';
import { mentionResolver } from './mentions/mention-resolver.js';
import { systemPrompt } from './mentions/system-prompt.js';
import { MODEL_ROLES } from './routing/model-roles.js';
import { SourceResolver } from './sources/source-resolver.js';

const AGENTS = [
  'bug-hunter',
  'explorer',
  'modular-builder',
  'reviewer',
  'security-auditor',
  'test-writer',
  'writer',
  'zen-architect',
];

async function foundation() {
  const cacheDir = '/nowhere/cache';
  const loader = new BundleLoader({
    sources: new SourceResolver({ cacheDir }),
    registry: { foundation: BUILT_IN_BUNDLE },
    strict: true,
  });
  return loader.load('foundation', '/');
}

describe('the built-in bundle', () => {
  it('loads without a warning into a plan the kernel accepts', async () => {
    const bundle = await foundation();
    expect(bundle.warnings).toEqual([]);
    const plan = bundleToMountPlan(bundle);
    expect(validateMountPlan(plan)).toEqual({ valid: true, issues: [] });
    expect(bundle.tools.map(({ module }) => module)).toContain('tool-delegate');
  });

  it('offers its behaviours to other bundles by name', async () => {
    const sources = new SourceResolver({ cacheDir: '/nowhere/cache' });
    const loader = new BundleLoader({ sources, registry: { foundation: BUILT_IN_BUNDLE }, strict: true });
    const names = [
      'agents',
      'tasks',
      'logging',
      'redaction',
      'routing',
      'sessions',
      'streaming-ui',
      'todo-reminder',
    ];
    const bundle = await loader.load(
      names.map((name) => `foundation:behaviors/${name}`),
      '/',
    );
    expect(bundle.warnings).toEqual([]);
    expect(bundle.hooks.map(({ module }) => module)).toEqual([
      'hooks-logging',
      'hooks-redaction',
      'hooks-routing',
      'hooks-streaming-ui',
    ]);
  });

  it('has eight agents, each with a role, its own tools, a description that says when, and a real prompt', async () => {
    const { agents } = await foundation();
    expect(Object.keys(agents)).toEqual(AGENTS);
    for (const [name, agent] of Object.entries(agents)) {
      const { description, instruction, model_role, tools } = AgentFrontmatter.parse(agent) as Record<
        string,
        unknown
      >;
      expect(String(description), name).toMatch(/Use /);
      expect(String(instruction).length, name).toBeGreaterThan(800);
      expect((tools as unknown[]).length, name).toBeLessThanOrEqual(4);
      for (const role of model_role as string[]) expect(Object.keys(MODEL_ROLES), name).toContain(role);
      expect((model_role as string[]).at(-1), name).toBe('general');
    }
  });

  it('can be asked for its agents with and without its name', async () => {
    const resolver = new AgentResolver({ searchPaths: bundleSearchPaths(await foundation()) });
    const loader = new AgentLoader({ resolver });
    expect((await loader.listAgents()).problems).toEqual([]);
    expect((await loader.loadAgent('foundation:explorer')).path).toBe(
      (await loader.loadAgent('explorer')).path,
    );
  });

  it('gives a prompt with the implementation philosophy in it, once', async () => {
    await using folder = await TempWorkspace.create();
    const { instruction, context, namespaces, agents } = await foundation();
    const resolver = mentionResolver({ baseDir: folder.path, namespaces });
    const prompt = await systemPrompt({ instruction, context }, resolver);
    expect(prompt.match(/# Implementation philosophy/g)).toHaveLength(1);
    const builder = await systemPrompt(
      { instruction: String(agents['modular-builder']?.instruction) },
      resolver,
    );
    expect(builder.match(/# Implementation philosophy/g)).toHaveLength(1);
  });
});
