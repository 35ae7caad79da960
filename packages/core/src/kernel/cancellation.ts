import { setMaxListeners } from 'node:events';
import { errorInfo } from './errors/amplifier-error.js';

export type CancellationState = 'none' | 'graceful' | 'immediate';

/**
 * A request to stop, for one session and everything below it.
 *
 * Graceful: let running tools finish, then stop before the next model call. Immediate: stop now. A request flows down
 * to children, also to those registered later, and never up.
 */
export class CancellationToken {
  #state: CancellationState = 'none';
  // Made when there is something to put in: most sessions have neither children nor tools.
  #children: Set<CancellationToken> | undefined;
  #listeners: Set<CancellationListener> | undefined;
  #runningTools: Map<string, string> | undefined;
  #controller: AbortController | undefined;
  #onListenerError: (error: unknown) => void;

  constructor(onListenerError: (error: unknown) => void = warnOfListenerError) {
    this.#onListenerError = onListenerError;
  }

  get state(): CancellationState {
    return this.#state;
  }

  get isCancelled(): boolean {
    return this.#state !== 'none';
  }

  get isImmediate(): boolean {
    return this.#state === 'immediate';
  }

  /** Aborts on an immediate request. Ask again after `reset()`: each run of the token has its own signal. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      // Any number of tools and waiting children may listen; that is no leak to warn of.
      setMaxListeners(0, this.#controller.signal);
      if (this.isImmediate) this.#controller.abort(abortReason());
    }
    return this.#controller.signal;
  }

  /** Steps up to `level`. True when this call changed the state: graceful only from none, immediate unless already there. */
  request(level: 'graceful' | 'immediate'): boolean {
    return this.#enter(level);
  }

  /** Back to none, for the next turn. Children and listeners stay; children are not reset. */
  reset(): void {
    this.#state = 'none';
    this.#runningTools?.clear();
    this.#controller = undefined;
  }

  /** Links a child. It takes over a request that was already made. The returned function unlinks it. */
  registerChild(child: CancellationToken): () => void {
    if (child === this || child.#isAbove(this))
      throw new Error('A cancellation token cannot be its own descendant.');
    this.#children ??= new Set();
    this.#children.add(child);
    if (this.#state !== 'none') child.#enter(this.#state);
    return () => this.#children?.delete(child);
  }

  /** Called on each step up (graceful, then perhaps immediate). One that throws does not keep the others from running. */
  onRequest(listener: CancellationListener): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  registerToolStart(toolCallId: string, toolName: string): void {
    this.#runningTools ??= new Map();
    this.#runningTools.set(toolCallId, toolName);
  }

  registerToolComplete(toolCallId: string): void {
    this.#runningTools?.delete(toolCallId);
  }

  get runningToolNames(): string[] {
    return [...(this.#runningTools?.values() ?? [])];
  }

  #enter(level: 'graceful' | 'immediate'): boolean {
    if (this.#state === level || this.#state === 'immediate') return false;
    this.#state = level;
    if (level === 'immediate') this.#controller?.abort(abortReason());
    for (const listener of [...(this.#listeners ?? [])]) this.#notify(listener, level);
    for (const child of this.#children ?? []) child.#enter(level);
    return true;
  }

  #notify(listener: CancellationListener, level: 'graceful' | 'immediate'): void {
    try {
      listener(level);
    } catch (error) {
      this.#onListenerError(error);
    }
  }

  #isAbove(token: CancellationToken): boolean {
    if (!this.#children) return false;
    return this.#children.has(token) || [...this.#children].some((child) => child.#isAbove(token));
  }
}

/**
 * What a plain abort() gives: a reason of our own would be taken for a network failure by HTTP clients. Made once, because the
 * stack of each would cost more than all the rest when a large tree is stopped.
 */
function abortReason(): DOMException {
  reason ??= new DOMException('This operation was aborted', 'AbortError');
  return reason;
}
let reason: DOMException | undefined;

export type CancellationListener = (level: 'graceful' | 'immediate') => unknown;

function warnOfListenerError(error: unknown): void {
  process.emitWarning(`A cancellation listener failed: ${errorInfo(error).message}`, 'AmplifierWarning');
}
