import {
  type AmplifierModule,
  addUsage,
  InvalidRequestError,
  type JsonObject,
  NetworkError,
  NO_USAGE,
  type Tool,
  toolSuccess,
  type Usage,
} from '@amplifier/core';
import { ScriptedProvider, seededRandom } from '@amplifier/testkit';
import { type Grant, intersectGrants, pathScope, SafetyMode, tighterMode } from '@amplifier/workspace';
import { expect } from 'vitest';
import type { Parent } from '../src/turn/parent.js';
import { turnStartIn } from '../src/turn/turn-start.js';
import { delegationBench, type Scene } from './delegation-bench.js';

const BEGIN = /^delegate:agent_(spawned|resumed)$/;
const END = /^delegate:(agent_completed|agent_cancelled|error)$/;
/** `propose` needs a git repository and is tested with one. */
const MODES = SafetyMode.options.filter((mode) => mode !== 'propose');
const FAULTS = ['none', 'none', 'none', 'error', 'empty', 'refused'] as const;

/** One session of a random tree: what it asks for, what it costs, how it ends, and what is done with it afterwards. */
interface Node {
  tree: number;
  tokens: number;
  fault: (typeof FAULTS)[number];
  mode: SafetyMode | null;
  children: Node[];
  resumes: number;
  forks: number;
  /** It prefers a model whose provider is down. */
  falls_back: boolean;
}

export interface Growing {
  count: number;
  /** So many trees grow at the same time. */
  at_once: number;
  seed: number;
  /** In memory instead of on real files. */
  memory: boolean;
}

/** Runs random trees and checks each when it is done. Says how much of what there was. */
export async function growTrees({ count, at_once, seed, memory }: Growing): Promise<Grown> {
  const random = seededRandom(seed);
  const grown = { sessions: 0, turns: 0, fallbacks: 0, wide: 0 };
  for (let done = 0; done < count; done += at_once) {
    await growGrove(Math.min(at_once, count - done), random, memory, grown);
  }
  return grown;
}

interface Grown {
  sessions: number;
  /** Turns of children: spawns and resumes. */
  turns: number;
  fallbacks: number;
  /** Trees with 64 children in parallel under a budget. */
  wide: number;
}

/** A tree so wide comes up this often. */
const WIDE = 1 / 40;
const WIDE_CHILDREN = 64;
const PREFERENCES = [
  { provider: 'down', model: 'down-1' },
  { provider: 'scripted', model: 'scripted-1' },
];
const DOWN: AmplifierModule = {
  mount: ({ mounts }, { priority = 1000 }) =>
    mounts.mount(
      'providers',
      new ScriptedProvider(() => ({ error: new NetworkError('no route') }), {
        name: 'down',
        model: 'down-1',
        priority: Number(priority),
      }),
    ),
};

async function growGrove(trees: number, random: () => number, memory: boolean, grown: Grown): Promise<void> {
  const spent = new Map<number, Usage>();
  const grants = new Map<string, Grant[]>();
  const scene: Scene = (_, { prompt, calls }) => {
    const node = JSON.parse(prompt) as Node;
    if (calls === 0 && node.children.length > 0)
      return used(node, { tool_calls: [{ name: 'grow', arguments: { children: node.children } }] });
    // Refused by the vendor, so it cost nothing; a call that broke off would count by an estimate.
    if (node.fault === 'error') return { error: new InvalidRequestError('broken') };
    if (node.fault === 'empty') return used(node, { text: '' });
    if (node.fault === 'refused') return used(node, { text: 'no', finish_reason: 'content_filter' as const });
    return used(node, { text: 'done' });
  };
  const used = <T extends object>({ tree, tokens }: Node, turn: T) => {
    const usage = {
      input_tokens: tokens,
      output_tokens: 1,
      total_tokens: tokens + 1,
      cost_usd: `0.00${tokens}`,
    };
    spent.set(tree, addUsage(spent.get(tree) ?? NO_USAGE, usage));
    return { ...turn, usage };
  };
  const grow: Tool = {
    name: 'grow',
    description: '',
    inputSchema: {},
    async execute(input, { coordinator }) {
      const delegation = coordinator.getCapability('session.delegation');
      if (!delegation) throw new Error('cannot delegate');
      const made = await Promise.all(
        (input.children as Node[]).map((child) => growChild(child, delegation.parent)),
      );
      return toolSuccess(made);
    },
  };
  await using bench = await delegationBench({
    scene,
    memory,
    tools: [grow],
    modules: { 'provider-down': DOWN },
    plan: {
      providers: [
        { module: 'provider-scripted', config: {} },
        { module: 'provider-down', config: {} },
      ],
    },
    equip: (coordinator, { root_id, grant }) => {
      const known = grants.get(root_id) ?? [];
      grants.set(root_id, [...known, grant, coordinator.getCapability('session.grant') ?? grant]);
    },
  });
  const { delegator } = bench;

  const growChild = async (node: Node, parent: Parent): Promise<void> => {
    const { mode, resumes, forks, falls_back, ...rest } = node;
    const give = (request: JsonObject) =>
      delegator.delegate({ instruction: JSON.stringify(rest), context_depth: 'none', ...request }, parent);
    const created = await give({
      agent: 'explorer',
      // A wider one than the parent's is refused.
      ...(mode ? { safety_mode: tighterMode(parent.safety_mode, mode) } : {}),
      ...(falls_back ? { provider_preferences: PREFERENCES } : {}),
    }).catch(widerModeRefused);
    if (!created) return;
    const { launch } = created;
    const again = JSON.stringify({ ...rest, children: [] });
    for (let turn = 0; turn < resumes; turn++)
      await give({ session_id: launch.session_id, instruction: again });
    for (let fork = 0; fork < forks; fork++) {
      const { session_id } = await delegator.fork(launch.session_id);
      await give({ session_id, instruction: again });
    }
  };

  const roots = await Promise.all(
    Array.from({ length: trees }, async (_, tree) => {
      const wide = random() < WIDE;
      const node = wide ? wideNode(tree, random) : randomNode(tree, random, 2);
      const max_tokens = wide ? 20_000 + Math.floor(random() * 50_000) : null;
      const limits = { max_tokens, max_children: 200, ...(wide ? { max_concurrency: WIDE_CHILDREN } : {}) };
      grown.wide += wide ? 1 : 0;
      const { session_id, outcome } = await bench.root(JSON.stringify({ ...node, fault: 'none' }), {
        limits,
        safety_mode: pick(MODES, random),
        trusted: random() < 0.7,
        ...(random() < 0.5 ? { grant: randomGrant(bench.workspace.path, random) } : {}),
      });
      expect(outcome.usage, 'the outcome of the root').toEqual(spent.get(tree) ?? NO_USAGE);
      if (max_tokens !== null) expect(outcome.usage.total_tokens).toBeLessThanOrEqual(max_tokens);
      return { tree, session_id };
    }),
  );

  for (const { tree, session_id } of roots) {
    const { sessions: all } = await bench.store.list({ root_id: session_id, limit: 1000 });
    grown.sessions += all.length;
    const { grant } = (await bench.store.document(session_id, 'launch')) as unknown as { grant: Grant };
    expectWithin(grants.get(session_id) ?? [], grant);
    expect(await delegator.control.subtreeUsage(session_id)).toEqual(spent.get(tree) ?? NO_USAGE);
    for (const { session_id: id } of all) {
      const metadata = await bench.store.metadata(id);
      const stored = (await bench.store.document(id, 'launch')) as unknown as { grant: Grant };
      expectWithin([stored.grant, turnStartIn(metadata)?.grant ?? stored.grant], grant);
      await expectSum(id);
      await expectEnds(id);
    }
  }
  /** What a subtree cost is what its top cost and what its children's subtrees cost. */
  async function expectSum(id: string): Promise<void> {
    const children = await bench.store.children(id);
    const below = await Promise.all(
      children.map((child) => delegator.control.subtreeUsage(child.session_id)),
    );
    const { usage } = await bench.store.metadata(id);
    expect(await delegator.control.subtreeUsage(id)).toEqual(below.reduce(addUsage, usage));
  }

  /** Every beginning of a child's turn has one end. */
  async function expectEnds(id: string): Promise<void> {
    const events = await bench.store.events(id);
    const ids = (pattern: RegExp) =>
      events.filter(({ name }) => pattern.test(name)).map((event) => event.id.replace(/:(begin|end)$/, ''));
    grown.turns += ids(BEGIN).length;
    grown.fallbacks += events.filter(({ name }) => name === 'provider:fallback').length;
    expect(ids(END).sort()).toEqual(ids(BEGIN).sort());
    expect(new Set(ids(END)).size).toBe(ids(END).length);
  }
}

/** Nothing was created where a child was to be given a wider mode than its parent has. */
function widerModeRefused(error: unknown): null {
  if ((error as { code?: string }).code === 'SAFETY_MODE_WIDER') return null;
  throw error;
}

/** None of them allows anything that `root` does not. */
function expectWithin(grants: readonly Grant[], root: Grant): void {
  for (const grant of grants) expect(intersectGrants(grant, root)).toEqual(intersectGrants(grant));
}

function randomNode(tree: number, random: () => number, depth: number): Node {
  const width = depth === 0 ? 0 : Math.floor(random() * 3);
  return {
    tree,
    tokens: 1 + Math.floor(random() * 9),
    fault: pick(FAULTS, random),
    mode: random() < 0.4 ? pick(MODES, random) : null,
    children: Array.from({ length: width }, () => randomNode(tree, random, depth - 1)),
    resumes: random() < 0.3 ? 1 : 0,
    forks: random() < 0.2 ? 1 : 0,
    falls_back: random() < 0.2,
  };
}

/** Many children at once, under one budget. */
function wideNode(tree: number, random: () => number): Node {
  const children = Array.from({ length: WIDE_CHILDREN }, () => randomNode(tree, random, 0));
  return { ...randomNode(tree, random, 0), children };
}

function randomGrant(cwd: string, random: () => number): Grant {
  const scope = () => pathScope(random() < 0.5 ? [`${cwd}/a`] : random() < 0.5 ? ['/'] : []);
  return {
    version: 1,
    read: scope(),
    write: scope(),
    exec: pick(['none', 'confined', 'free'] as const, random),
    network: random() < 0.5,
    delegate: true,
    spend: random() < 0.3 ? '1000' : null,
  };
}

function pick<T>(options: readonly T[], random: () => number): T {
  return options[Math.floor(random() * options.length)] as T;
}
