import { type Clock, NO_USAGE, type Report, systemClock } from '@amplifier/core';
import {
  bringBack,
  type Engine,
  type LaunchRecord,
  makeTree,
  NO_NEEDS,
  type Outcome,
  type Question,
  type TreeNeeds,
  type Turn,
} from '@amplifier/delegation';
import type { SessionStore } from '@amplifier/sessions';
import {
  detectSandbox,
  grantForSafetyMode,
  type Isolation,
  intersectGrants,
  requiresTrust,
  type Sandbox,
} from '@amplifier/workspace';
import { AcpError } from '../acp-error.js';
import { failedBefore } from '../attempt/attempt-end.js';
import type { AskRules } from '../client/rule-call.js';
import { MAX_DEPTH, POOL } from '../defaults.js';
import { CircuitBreaker } from '../fallback/circuit-breaker.js';
import { depthFrom } from '../process/agent-env.js';
import { AgentPool } from '../process/agent-pool.js';
import { FrameJournals } from '../process/frame-journal.js';
import type { Effort } from '../roster/descriptor.js';
import type { Roster } from '../roster/roster.js';
import { acpOutcome } from './acp-outcome.js';
import { AcpTurn } from './acp-turn.js';

export interface AcpEngineOptions {
  store: SessionStore;
  roster: Roster;
  /** Where trees of agents that change files live. Must outlive this process. */
  isolationHome: string;
  /** What such a tree gets beside the files of its source. */
  isolation?: TreeNeeds;
  /** Default: the best one that works on this machine. */
  sandbox?: Sandbox;
  clock?: Clock;
  /** Default: its own. */
  breaker?: CircuitBreaker | undefined;
  /** What agents inherit from, by allowlist. Default: ours. */
  env?: NodeJS.ProcessEnv;
  /** Agents in agents, at the most. */
  maxDepth?: number;
  defaultEffort?: Effort | null;
  /** Agents kept running between turns. */
  pool?: { size: number; idle_ms: number };
  /** Told of what a person should decide. Without it every such question is a no. */
  onQuestion?: (question: Question) => void;
  /** The user's permission rules, asked before each call. */
  rules?: AskRules;
  /** Has the user put this folder on the list of those that may be changed? Asked for every turn. Default: the launch says it all. */
  isTrusted?: (folder: string) => Promise<boolean>;
  /** Fail with `RESUME_FAILED` when the agent lost its session, instead of telling it the conversation again. */
  strictResume?: boolean;
  /** Where the frames of each turn are kept, to be looked into. Default: nowhere. */
  framesFolder?: string;
  report?: Report;
}

/** Runs external coding agents over the Agent Client Protocol. `close` ends those it keeps running. */
export class AcpEngine implements Engine, AsyncDisposable {
  readonly pool: AgentPool;
  readonly #breaker: CircuitBreaker;
  readonly #options: AcpEngineOptions;
  readonly #clock: Clock;
  readonly #env: NodeJS.ProcessEnv;
  readonly #journals: FrameJournals | null;

  constructor(options: AcpEngineOptions) {
    const { clock = systemClock, pool = POOL, env = process.env } = options;
    this.#options = options;
    this.#clock = clock;
    this.#env = env;
    this.pool = new AgentPool({ ...pool, clock });
    const { framesFolder, report = () => {} } = options;
    this.#journals = framesFolder === undefined ? null : new FrameJournals(framesFolder, clock, report);
    this.#breaker = options.breaker ?? new CircuitBreaker(clock);
  }

  async run(begun: Turn): Promise<Outcome> {
    const { launch: asked } = begun;
    const mayChange = !requiresTrust(asked.safety_mode) || (await this.#isTrusted(asked));
    const refusal = this.#refusal(asked, mayChange);
    if (refusal) return refused(asked, refusal);
    // Whoever delegates in a folder that nobody trusts gets an agent that looks.
    const turn = mayChange
      ? begun
      : { ...begun, launch: onlyLooking(asked), warnings: [...begun.warnings, ONLY_LOOKING] };
    const { safety_mode, workspace } = turn.launch;
    const direct = workspace.direct === true && turn.number === 1;
    if (!requiresTrust(safety_mode) || workspace.isolation !== 'none' || direct)
      return this.#turn(turn, turn.isolation ?? null);
    const { isolationHome, isolation = NO_NEEDS } = this.#options;
    const { launch, ...work } = await isolateWork(turn.launch, isolationHome, isolation);
    const warnings = [...turn.warnings, ...work.warnings];
    return work.finish(await this.#turn({ ...turn, launch, warnings }, work.isolation));
  }

  async close(): Promise<void> {
    await this.pool.close();
    await this.#journals?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #turn(turn: Turn, isolation: Isolation | null): Promise<Outcome> {
    const { launch } = turn;
    const { store, roster, onQuestion, strictResume = false, defaultEffort = null } = this.#options;
    const { report = () => {} } = this.#options;
    const journal = (await this.#journals?.open(launch.session_id, turn.number)) ?? null;
    const acpTurn = new AcpTurn(turn, {
      store,
      roster,
      sandbox: this.#options.sandbox ?? (await detectSandbox()),
      clock: this.#clock,
      env: this.#env,
      depth: this.#depth(launch),
      pool: this.pool,
      breaker: this.#breaker,
      onQuestion: onQuestion ?? null,
      report,
      strictResume,
      defaultEffort,
      isolation,
      journal,
      rules: this.#options.rules ?? null,
    });
    try {
      return await acpTurn.run();
    } finally {
      if (journal) this.#journals?.finish(journal);
    }
  }

  /** How deep an agent of this launch is in agents. */
  #depth({ depth }: LaunchRecord): number {
    return depthFrom(this.#env) + Math.max(1, depth);
  }

  /** What is wrong before anything is started. */
  async #isTrusted({ workspace: { trusted, trust_declared, cwd } }: LaunchRecord): Promise<boolean> {
    const { isTrusted } = this.#options;
    if (!trusted || trust_declared || !isTrusted) return trusted;
    // A list that cannot be read trusts nobody.
    return isTrusted(cwd).catch(() => false);
  }

  #refusal(launch: LaunchRecord, mayChange: boolean): AcpError | null {
    const { maxDepth = MAX_DEPTH } = this.#options;
    if (this.#depth(launch) > maxDepth) {
      return new AcpError(
        `Agents have called agents ${maxDepth} levels deep, and that is the limit. Do the work here.`,
        {
          code: 'MAX_DEPTH_EXCEEDED',
        },
      );
    }
    const { safety_mode, workspace, parent_id } = launch;
    if (!mayChange && parent_id === null) {
      return new AcpError(
        `${safety_mode} mode changes files in ${workspace.cwd}, and that folder is not trusted. Run 'amplifier trust' there, or use propose mode.`,
        { code: 'WORKSPACE_NOT_TRUSTED', origin: workspace.cwd },
      );
    }
    return null;
  }
}

const ONLY_LOOKING =
  "The folder is not trusted, so the agent could only read. Run 'amplifier trust' there to let agents change files.";

function onlyLooking(launch: LaunchRecord): LaunchRecord {
  const { cwd } = launch.workspace;
  const looking = grantForSafetyMode('read_only', { cwd, trusted: false });
  return { ...launch, safety_mode: 'read_only', grant: intersectGrants(launch.grant, looking) };
}

function refused(launch: LaunchRecord, error: AcpError): Outcome {
  const end = failedBefore(launch.engine, error);
  return acpOutcome({
    launch,
    end,
    stopped: null,
    usage: NO_USAGE,
    structured: {},
    artifacts: [],
    warnings: [],
  });
}

interface IsolatedWork {
  launch: LaunchRecord;
  isolation: Isolation;
  /** What went wrong when the tree was made. */
  warnings: string[];
  /** Applies the work, all or nothing, and adds the result to the outcome. */
  finish(outcome: Outcome): Promise<Outcome>;
}

/**
 * Gives an agent an isolated tree and applies its work when the turn ends: all or nothing, and never over other changes.
 * The work of a failed turn, or work that conflicts, stays in the tree and is handed back as a patch.
 */
async function isolateWork(launch: LaunchRecord, home: string, needs: TreeNeeds): Promise<IsolatedWork> {
  const { isolation, warnings } = await makeTree({ home, source: launch.workspace.cwd }, needs, launch.grant);
  const write = isolation.writable(launch.grant.write);
  const read = isolation.readable(launch.grant.read);
  return {
    launch: {
      ...launch,
      workspace: { ...launch.workspace, cwd: isolation.path },
      grant: { ...launch.grant, read, write },
    },
    isolation,
    warnings,
    finish: (outcome) => bringBack(isolation, outcome, { home, refuseActing: write.refuse_acting === true }),
  };
}
