import { type Clock, errorInfo, isPlainObject, type JsonObject, within } from '@amplifier/core';
import { AcpError } from '../acp-error.js';
import type { AgentProcess } from '../process/agent-process.js';
import type { Effort } from '../roster/descriptor.js';
import { clampEffort } from './effort-level.js';
import { matchValue, readChoices, type SessionChoice, type SessionChoices } from './session-options.js';

/** How long to wait for an agent that is to be set up. */
export interface Patience {
  clock: Clock;
  signal: AbortSignal;
}

/** A conversation that is open in an agent. */
export class AgentSession {
  readonly id: string;
  readonly process: AgentProcess;
  choices: SessionChoices;

  #patience: Patience;

  constructor(process: AgentProcess, id: string, response: unknown, patience: Patience) {
    this.process = process;
    this.id = id;
    this.#patience = patience;
    this.choices = readChoices(response);
  }

  /** Does the agent keep it, so that a later turn can continue with it? */
  get isKept(): boolean {
    const { loadSession, sessionCapabilities } = this.process.initialized.agentCapabilities ?? {};
    return loadSession === true || Boolean(sessionCapabilities?.resume);
  }

  /** Chooses the model and makes sure that the agent did. Throws `MODEL_UNAVAILABLE`, naming what there is. */
  async chooseModel(wanted: string): Promise<string> {
    const { model } = this.choices;
    const value = model ? matchValue(wanted, model.values) : null;
    if (!model || value === null) throw this.#noModel(wanted, model?.values ?? []);
    if (model.current === value) return value;
    try {
      await this.#set(model, value);
    } catch (cause) {
      if (cause instanceof AcpError || this.#patience.signal.aborted) throw cause;
      throw this.#noModel(wanted, model.values, errorInfo(cause).message);
    }
    if (this.choices.model?.channel === 'config_option' && this.choices.model.current !== value)
      throw this.#noModel(wanted, model.values, `it stayed with ${this.choices.model.current}`);
    return value;
  }

  /** The level that was set, or null when the agent has no such knob, or it did not turn. */
  async chooseEffort(wanted: Effort): Promise<string | null> {
    const { effort } = this.choices;
    const value = effort ? clampEffort(wanted, effort.values) : null;
    if (!effort || value === null) return null;
    if (effort.current !== value) await this.#set(effort, value);
    return value;
  }

  /** False when the agent does not have the mode. */
  async chooseMode(wanted: string): Promise<boolean> {
    const { mode } = this.choices;
    if (!mode?.values.includes(wanted)) return false;
    if (mode.current !== wanted) await this.#set(mode, wanted);
    return true;
  }

  cancel(): Promise<void> {
    return this.process.notify('session/cancel', { sessionId: this.id });
  }

  /** The agent may forget it. Never fails: an agent without this just keeps it. */
  async close(): Promise<void> {
    const { sessionCapabilities } = this.process.initialized.agentCapabilities ?? {};
    if (!sessionCapabilities?.close || !this.process.isAlive) return;
    await this.process.request('session/close', { sessionId: this.id }).catch(() => {});
  }

  async #set({ channel, id }: SessionChoice, value: string): Promise<void> {
    const sessionId = this.id;
    switch (channel) {
      case 'set_model':
        await this.#request('session/set_model', { sessionId, modelId: value });
        break;
      case 'set_mode':
        await this.#request('session/set_mode', { sessionId, modeId: value });
        break;
      case 'config_option': {
        // The answer is the whole list, and other options may have changed with this one.
        const answer = await this.#request('session/set_config_option', {
          sessionId,
          configId: id,
          value,
        });
        const legacy = { modes: undefined, models: undefined };
        if (isPlainObject(answer) && Array.isArray(answer.configOptions)) {
          const fresh = readChoices({ ...legacy, configOptions: answer.configOptions });
          this.choices = {
            model: fresh.model ?? this.choices.model,
            mode: fresh.mode ?? this.choices.mode,
            effort: fresh.effort,
          };
        }
      }
    }
  }

  async #request(method: string, params: JsonObject): Promise<unknown> {
    const { clock, signal } = this.#patience;
    const { agent, handshakeMs } = this.process.launch;
    const answer = await within(this.process.request<unknown>(method, params, signal), handshakeMs, clock);
    if (answer.done) return answer.value;
    throw new AcpError(`${agent.display_name} did not answer ${method} for ${handshakeMs / 1000} s.`, {
      code: 'ACP_HANDSHAKE_FAILED',
      origin: agent.id,
    });
  }

  #noModel(wanted: string, offered: readonly string[], why?: string): AcpError {
    const { agent } = this.process.launch;
    const list =
      offered.length > 0
        ? `It offers: ${offered.slice(0, 20).join(', ')}.`
        : 'It offers no choice of models.';
    const reason = why ? ` (${why})` : '';
    return new AcpError(`${agent.display_name} cannot use the model '${wanted}'${reason}. ${list}`, {
      code: 'MODEL_UNAVAILABLE',
      origin: agent.id,
    });
  }
}
