import type { JSONObject, LanguageModelV3 } from '@ai-sdk/provider';
import type { ChatRequest, JsonObject, ModelInfo } from '@amplifier/core';
import type { ProviderSettings } from './provider-settings.js';

/** What sets one vendor apart from the others. All the rest is the same code for all of them. */
export interface Vendor {
  readonly module_id: string;
  /** The name it is mounted under. */
  readonly name: string;
  readonly display_name: string;
  /** Read in this order when the config gives no `api_key`. */
  readonly credential_env_vars: readonly string[];
  readonly needs_credentials: boolean;
  readonly base_url_env_vars: readonly string[];
  readonly default_base_url: string | null;
  readonly default_model: string | null;
  readonly capabilities: readonly string[];
  /** Under these names the model layer keeps what belongs to the vendor alone. The first is the one it answers with. */
  readonly option_keys: readonly [string, ...string[]];
  /** Do its models run on a machine of the user's, and cost nothing? */
  readonly is_free?: boolean;
  /** Does the vendor want its own thinking back in the next request? */
  readonly takes_thinking_back: boolean;
  /** May a part of the prompt be marked as the end of what is worth caching? */
  readonly marks_cache: boolean;
  /** Loads the vendor's library and returns a maker of models. */
  open(settings: ProviderSettings): Promise<(model: string) => LanguageModelV3>;
  /** The vendor's own options for one call. */
  callOptions(call: VendorCall): JSONObject;
  /** What can be said about a model without asking anybody; null when nothing is known. */
  describeModel(model: string): ModelFacts | null;
  /** Can the model look at images? Asked once for each, and only when there are some. Without it: as `capabilities` says. */
  sees?(model: string, ask: AskVendor, settings: ProviderSettings): Promise<boolean>;
  /** Asks the vendor. Must reject with an `LLMError`. */
  listModels(ask: AskVendor, settings: ProviderSettings): Promise<ModelInfo[]>;
}

export interface VendorCall {
  model: string;
  effort: string | undefined;
  request: ChatRequest;
  settings: ProviderSettings;
}

export interface ModelFacts {
  context_window: number;
  max_output_tokens: number;
}

/** Fetches JSON from below the vendor's base URL (or from an absolute one). */
export type AskVendor = (
  path: string,
  init?: { headers?: Record<string, string>; body?: JsonObject },
) => Promise<JsonObject>;
