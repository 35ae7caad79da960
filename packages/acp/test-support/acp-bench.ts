import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, type JsonObject, ModuleLoader, type MountPlan, systemClock } from '@amplifier/core';
import { Delegator, type DelegatorOptions, type Outcome, type RootRequest } from '@amplifier/delegation';
import { openSessionStore } from '@amplifier/sessions';
import { chaosAgentCommand, TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import { detectSandbox, listIsolations, type Sandbox } from '@amplifier/workspace';
import { AcpEngine, type AcpEngineOptions } from '../src/engine/acp-engine.js';
import { acpAgents } from '../src/roster/agent-catalog.js';
import { buildRoster } from '../src/roster/roster.js';

const REPOSITORY = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

export const sandbox: Sandbox = await detectSandbox();

/** Real time, but what is only patience with a bad agent takes a tenth of it. */
const HASTY: Clock = {
  now: () => systemClock.now(),
  after: (ms, callback) => systemClock.after(ms >= 1000 && ms <= 5000 ? ms / 10 : ms, callback),
};

/** Real time with one timer, told by its length, that a test sets off itself. */
export function triggeredClock(ms: number): Clock & { fire(): void } {
  let ahead = 0;
  let fire = () => {};
  return {
    now: () => systemClock.now() + ahead,
    after: (length, callback) => {
      if (length !== ms) return HASTY.after(length, callback);
      fire = callback;
      return () => {};
    },
    fire: () => {
      ahead += ms;
      fire();
    },
  };
}

export interface AcpBenchOptions {
  /** Flags of the chaos agent. */
  flags?: string[];
  /** Settings of the agent `chaos` beside its command, and further agents. */
  chaos?: JsonObject;
  agents?: Record<string, JsonObject>;
  engine?: Partial<AcpEngineOptions>;
  delegator?: Partial<DelegatorOptions>;
  env?: Record<string, string>;
  /** Where isolated trees are kept, below the folder that holds the agent's home (`user`). */
  isolation?: string;
}

/** A Delegator with the chaos agent on its roster, on real files and real processes. */
export async function acpBench({
  flags = [],
  chaos = {},
  agents = {},
  engine: more = {},
  delegator: options = {},
  env = {},
  isolation = 'isolation',
}: AcpBenchOptions = {}) {
  const repo = await TempGitRepo.create({ 'a.txt': 'one\n' });
  const home = await TempWorkspace.create();
  const store = await openSessionStore(home.resolve('sessions/record.db'));
  const isolationHome = home.resolve(isolation);
  const known = { visible: [REPOSITORY], state_paths: ['home:.chaos'], env_passthrough: ['CHAOS_*'] };
  const roster = buildRoster({
    agents: {
      chaos: { ...known, display_name: 'Chaos', command: chaosAgentCommand(...flags), ...chaos },
      ...Object.fromEntries(Object.entries(agents).map(([id, agent]) => [id, { ...known, ...agent }])),
    },
  });
  const engine = new AcpEngine({
    store,
    roster,
    isolationHome,
    sandbox,
    env: { PATH: process.env.PATH ?? '', HOME: home.resolve('user'), ...env },
    pool: { size: 0, idle_ms: 60_000 },
    clock: HASTY,
    ...more,
  });
  const delegator = new Delegator({
    store,
    loader: new ModuleLoader({ builtins: {} }),
    agents: acpAgents(roster),
    engines: { acp: engine },
    isolationHome,
    ...options,
  });
  const plan: MountPlan = { session: { orchestrator: 'none', context: 'none' } };
  const request = (instruction: string, wishes: Partial<RootRequest> = {}): RootRequest => ({
    plan,
    agent: 'acp:chaos',
    instruction,
    cwd: repo.path,
    trusted: true,
    safety_mode: 'read_only',
    ...wishes,
  });
  return {
    repo,
    home,
    store,
    engine,
    roster,
    delegator,
    isolationHome,
    request,
    run: async (instruction: string, wishes: Partial<RootRequest> = {}): Promise<Outcome> =>
      (await delegator.start(request(instruction, wishes))).outcome,
    /** What is left of this bench: processes by their command, and isolated trees by their id. */
    leftovers: async () => ({
      processes: processesWith(`HOME=${home.resolve('user')}`),
      trees: (await listIsolations(isolationHome).catch(() => [])).map(({ id }) => id),
    }),
    async [Symbol.asyncDispose]() {
      await engine.close();
      await store.close();
      await home[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

export const NOTHING = { processes: [], trees: [] };

/** The facts about the turn that only an external agent has. */
export function acpFacts({ artifacts }: Outcome): JsonObject {
  return artifacts.find(({ kind }) => kind === 'acp') ?? {};
}

export function patchOf({ artifacts }: Outcome): JsonObject {
  return artifacts.find(({ kind }) => kind === 'patch') ?? {};
}

/** Commands of living processes that were started with this variable. */
function processesWith(variable: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = read(`/proc/${pid}/environ`).split('\0');
      return environment.includes(variable) ? [read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')] : [];
    });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
