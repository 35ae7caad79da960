import { DEFAULT_RETRY, isPlainObject, type JsonObject } from '@amplifier/core';
import { z } from 'zod';
import { CALL_TIMEOUT_SECONDS } from '../defaults.js';
import { Price } from './price-table.js';
import type { ProviderSettings } from './provider-settings.js';
import type { Vendor } from './vendor.js';

/** Numbers may come as text: a setting may stand for an environment variable. */
const number = z.coerce.number();
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);

const ProviderConfig = z.looseObject({
  api_key: z.string().nullish(),
  base_url: z.string().nullish(),
  /** Addresses the user gave for this provider. Given: the user's key goes there and to the vendor itself, nowhere else. */
  key_origins: z.array(z.string()).optional(),
  default_model: z.string().nullish(),
  model: z.string().nullish(),
  priority: number.optional(),
  headers: z.record(z.string(), z.string()).default({}),
  timeout: number.positive().default(CALL_TIMEOUT_SECONDS),
  max_retries: number.int().nonnegative().default(DEFAULT_RETRY.max_retries),
  retry_initial_delay: number.nonnegative().default(DEFAULT_RETRY.initial_delay),
  retry_max_delay: number.nonnegative().default(DEFAULT_RETRY.max_delay),
  concurrency: number.int().positive().optional(),
  retry_jitter: flag.default(DEFAULT_RETRY.jitter),
  temperature: number.optional(),
  max_output_tokens: number.int().positive().optional(),
  max_tokens: number.int().positive().optional(),
  context_window: number.int().positive().optional(),
  reasoning_effort: z.string().optional(),
  enable_prompt_caching: flag.default(true),
  streaming: flag.default(true),
  vision: flag.optional(),
  price_file: z.string().optional(),
  prices: z.record(z.string(), Price).default({}),
});

export type SettingsReading =
  | { ok: true; settings: ProviderSettings }
  | { ok: false; code: 'PROVIDER_NOT_CONFIGURED' | 'PROVIDER_CONFIG_INVALID'; message: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a vendor's settings from its config, then from the environment. What is missing is said by name. */
export function readSettings(vendor: Vendor, config: JsonObject, env: Environment): SettingsReading {
  const parsed = ProviderConfig.safeParse(config);
  if (!parsed.success) {
    const message = `${vendor.module_id} is left out: its config cannot be read. ${z.prettifyError(parsed.error)}`;
    return { ok: false, code: 'PROVIDER_CONFIG_INVALID', message };
  }
  const { data } = parsed;
  const base_url = given(data.base_url) ?? firstOf(vendor.base_url_env_vars, env) ?? vendor.default_base_url;
  const isOurs = takesKey(base_url, vendor, data.key_origins, env);
  const api_key = isOurs ? (given(data.api_key) ?? firstOf(vendor.credential_env_vars, env)) : null;
  const default_model = given(data.default_model) ?? given(data.model) ?? vendor.default_model;
  const missing = [
    ...(api_key === null && vendor.needs_credentials
      ? [isOurs ? lookedFor('credentials', 'api_key', vendor.credential_env_vars) : keptBack(base_url)]
      : []),
    ...(base_url === null ? [lookedFor('address', 'base_url', vendor.base_url_env_vars)] : []),
  ];
  if (missing.length > 0) {
    const message = `${vendor.module_id} is left out. ${missing.join(' ')} Set one and start again.`;
    return { ok: false, code: 'PROVIDER_NOT_CONFIGURED', message };
  }
  return {
    ok: true,
    settings: {
      api_key,
      base_url: base_url === null ? null : base_url.replace(/\/+$/, ''),
      default_model,
      priority: data.priority,
      headers: isOurs ? data.headers : {},
      timeout: data.timeout,
      concurrency: data.concurrency,
      retry: {
        ...DEFAULT_RETRY,
        max_retries: data.max_retries,
        initial_delay: data.retry_initial_delay,
        max_delay: data.retry_max_delay,
        jitter: data.retry_jitter,
      },
      temperature: data.temperature,
      max_output_tokens: data.max_output_tokens ?? data.max_tokens,
      context_window: data.context_window,
      reasoning_effort: data.reasoning_effort,
      prompt_caching: data.enable_prompt_caching,
      streaming: data.streaming,
      vision: data.vision,
      price_file: data.price_file,
      prices: data.prices,
      config: isPlainObject(config) ? config : {},
    },
  };
}

/** An empty text or a reference nobody resolved is the same as nothing. */
function given(value: string | null | undefined): string | null {
  const text = value?.trim() ?? '';
  return text === '' || /^\$\{[^}]*\}$/.test(text) ? null : text;
}

function firstOf(names: readonly string[], env: Environment): string | null {
  for (const name of names) {
    const value = given(env[name]);
    if (value !== null) return value;
  }
  return null;
}

/** Was the key given for this address? By a project that says where to send it, it was not. */
function takesKey(
  base_url: string | null,
  vendor: Vendor,
  given_for: readonly string[] | undefined,
  env: Environment,
): boolean {
  if (given_for === undefined || base_url === null) return true;
  const known = [...given_for, vendor.default_base_url, firstOf(vendor.base_url_env_vars, env)];
  return known.some((address) => address !== null && originOf(address) === originOf(base_url));
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}

function keptBack(base_url: string | null): string {
  return `Its key is not sent to ${base_url}: nobody gave it for that address. If you want that, write base_url for this provider in your own settings.`;
}

function lookedFor(what: string, setting: string, variables: readonly string[]): string {
  const places = [`the setting '${setting}'`, ...variables.map((name) => `the environment variable ${name}`)];
  return `It has no ${what}: looked for ${places.join(', then ')}.`;
}
