import { type Clock, systemClock } from '../process/clock.js';
import { CancellationToken } from './cancellation.js';
import type { CapabilityOf } from './capabilities.js';
import type { ApprovalSystem } from './contracts/approval-system.js';
import type { DisplaySystem } from './contracts/display-system.js';
import type { Cleanup } from './contracts/module.js';
import { ContributionChannels } from './contribution-channels.js';
import type { Diagnostic, Report } from './diagnostics.js';
import { errorInfo } from './errors/amplifier-error.js';
import { EVENTS } from './events.js';
import type { HookResult } from './hook-result.js';
import { HookRegistry } from './hooks.js';
import type { MountPlan } from './mount-plan.js';
import { Mounts } from './mounts.js';
import { InjectionMeter, processHookResult } from './process-hook-result.js';

export interface CoordinatorOptions {
  session: { readonly id: string; readonly parent_id: string | null };
  /** The session's own plan. Modules may replace its sections, such as `plan.agents`; a section itself is frozen. */
  plan: MountPlan;
  clock?: Clock | undefined;
  approval?: ApprovalSystem | undefined;
  display?: DisplaySystem | undefined;
  /** Hears of everything that went wrong without ending the session. */
  report?: Report | undefined;
}

/** What modules of one session share: mounts, capabilities, contribution channels, hooks, cancellation, state. */
export class Coordinator {
  readonly session: CoordinatorOptions['session'];
  readonly plan: MountPlan;
  readonly clock: Clock;
  readonly mounts = new Mounts();
  readonly hooks: HookRegistry;
  readonly cancellation: CancellationToken;
  readonly contributions: ContributionChannels;
  readonly approval: ApprovalSystem | null;
  readonly display: DisplaySystem | null;
  readonly diagnostics: Diagnostic[] = [];
  /** A field, because a closure that is assigned to a member keeps its session until all memory is searched. */
  readonly report: Report = (diagnostic) => {
    this.diagnostics.push(diagnostic);
    this.#report?.(diagnostic);
  };
  readonly #report: Report | undefined;
  #capabilities = new Map<string, unknown>();
  #cleanups: Cleanup[] = [];
  #injections: InjectionMeter | null = null;

  constructor({ session, plan, clock = systemClock, approval, display, report }: CoordinatorOptions) {
    this.session = session;
    this.plan = plan;
    this.clock = clock;
    this.approval = approval ?? null;
    this.display = display ?? null;
    this.#report = report;
    this.hooks = new HookRegistry({ clock, report: this.report });
    this.hooks.setDefaults({ session_id: session.id, parent_id: session.parent_id });
    this.contributions = new ContributionChannels(this.report);
    this.cancellation = new CancellationToken((error) =>
      this.report({
        level: 'error',
        code: 'CANCEL_LISTENER_FAILED',
        message: errorInfo(error).message,
        error,
      }),
    );
  }

  /** What hooks have put into the context in this turn. */
  get injections(): InjectionMeter {
    this.#injections ??= new InjectionMeter(this.plan.session, this.report);
    return this.#injections;
  }

  /** The last registration wins. */
  registerCapability<Name extends string>(name: Name, value: CapabilityOf<Name>): void {
    this.#capabilities.set(name, value);
  }

  /** Null when nobody registered it. */
  getCapability<Name extends string>(name: Name): CapabilityOf<Name> | null {
    return (this.#capabilities.get(name) as CapabilityOf<Name> | undefined) ?? null;
  }

  registerCleanup(cleanup: Cleanup): void {
    this.#cleanups.push(cleanup);
  }

  /** Runs what was registered, last first. One that fails is reported and does not keep the others from running. */
  async cleanup(): Promise<void> {
    for (let next = this.#cleanups.pop(); next; next = this.#cleanups.pop()) {
      try {
        const closing = next();
        if (closing) await closing;
      } catch (error) {
        const message = `A module failed to clean up: ${errorInfo(error).message}`;
        this.report({ level: 'warning', code: 'CLEANUP_FAILED', message, error });
      }
    }
  }

  /** Asks the session and all below it to stop, and tells the listeners. */
  async requestCancel(level: 'graceful' | 'immediate' = 'graceful'): Promise<void> {
    if (!this.cancellation.request(level)) return;
    await this.hooks.emit(EVENTS.CANCEL_REQUESTED, {
      level,
      running_tools: this.cancellation.runningToolNames,
    });
  }

  /** A new turn begins: the injection budget starts over. A cancellation request stays. */
  resetTurn(): void {
    this.#injections = null;
  }

  /** Carries out what a hook asked for: injection, message to the user, question to the user. */
  processHookResult(result: HookResult, event: string, hookName: string): Promise<HookResult> {
    return processHookResult(this, result, event, hookName);
  }
}
