import type { JsonObject } from '../../data/json.js';
import type { ChatRequest, ChatResponse, StreamDelta } from '../chat.js';

export interface ConfigField {
  name: string;
  type: 'string' | 'number' | 'boolean' | 'choice' | 'secret';
  description?: string | undefined;
  required?: boolean;
  default?: unknown;
  choices?: string[];
}

export interface ProviderInfo {
  id: string;
  display_name: string;
  /** Where the provider looks for its credentials, in order. */
  credential_env_vars: string[];
  capabilities: string[];
  defaults: JsonObject;
  config_fields: ConfigField[];
}

export interface ModelInfo {
  id: string;
  display_name: string;
  context_window: number;
  max_output_tokens: number;
  capabilities: string[];
  defaults: JsonObject;
}

export interface CompleteOptions {
  /** Ends the request, the network connection included. */
  signal?: AbortSignal | undefined;
  /** Given: the provider streams and calls this for each piece, in order. Must not throw. */
  onDelta?: ((delta: StreamDelta) => void) | undefined;
  /** Told of each retry, as the contract event `provider:retry` needs it. `delay` in seconds. */
  onRetry?: ((attempt: number, delay: number, error: Error) => void) | undefined;
  /** Waited for before each further attempt. Where it rejects, the call must reject with that. */
  beforeRetry?: (() => Promise<void>) | undefined;
}

export interface ProviderQuota {
  /** The same for all who share it, in whichever process: the service, its address and the account. Must not tell a secret. */
  account: string;
  /** Calls at once, of all processes together; null for any number. */
  concurrency: number | null;
}

/**
 * A family of models. A provider without credentials must not mount itself at all: being absent is how
 * it says so.
 */
export interface Provider {
  readonly name: string;
  /** Lower is preferred. Without one, `config.priority`, else 100. */
  readonly priority?: number;
  /** The model used when the request names none. */
  readonly defaultModel?: string;
  /** What its calls count against; without it they count by its name, and there may be any number at once. */
  readonly quota?: ProviderQuota;
  getInfo(): ProviderInfo;
  listModels(): Promise<ModelInfo[]>;
  /** What is known of a model without asking anybody; null when that is nothing. Must not use the network. */
  modelInfo?(model: string): ModelInfo | null;
  /** The most a call of so many tokens can cost, in US dollars as a decimal string; null when nobody knows. Must not use the network. */
  mostCost?(model: string, tokens: { input: number; output: number }): Promise<string | null>;
  /** One model call. Must reject with an `LLMError`; must reject with `AbortError` when the signal aborts. */
  complete(request: ChatRequest, options?: CompleteOptions): Promise<ChatResponse>;
}

/** The priority of a provider that sets none. */
export const DEFAULT_PROVIDER_PRIORITY = 100;
