import { BUILT_IN_BUNDLE, type BundleRegistry } from '@amplifier/foundation';

/** What a session is made of when no setting names a bundle. */
export const DEFAULT_BUNDLE = 'foundation';

/** Bundles that ship with the product. A bundle of the user's may take the name. */
export const BUILT_IN_BUNDLES: BundleRegistry = { foundation: BUILT_IN_BUNDLE };

/** The loop and the memory of a session whose bundle names none. */
export const DEFAULT_SESSION = { orchestrator: 'loop-streaming', context: 'context-simple' };

/** Serves a session when the user asks for it by `--offline`: no key, no network, no language model. */
export const OFFLINE_PROVIDER = 'provider-offline';

/**
 * Tried, in this order, when neither bundle nor settings list a provider. Each mounts only where its key or address is in
 * the environment.
 */
export const PROVIDERS_BY_ENVIRONMENT = [
  'provider-anthropic',
  'provider-openai',
  'provider-gemini',
  'provider-azure-openai',
  'provider-openai-compatible',
] as const;

/** A model server of the user's own that needs no key; taken only where one of these says where it is. */
export const OLLAMA_VARIABLES = ['OLLAMA_HOST', 'OLLAMA_BASE_URL'] as const;

/** How long a worker waits for more before it ends. Long enough for a parent that delegates step by step. */
export const WORKER_IDLE_MS = 5000;

/** A person watches a root and can stop it: only its children are under the clock unless a limit is asked for. */
export const ROOT_LIMITS = { timeout: null } as const;

/** A session that was just written is likely to be written again; its log stays open this long. */
export const LOG_IDLE_MS = 2_000;

/** Logs kept open at once. Each holds a lock file and up to two handles of the store's own pool. */
export const MAX_OPEN_LOGS = 128;

/** How long a request waits for a session that another process writes for a moment. */
export const REQUEST_PATIENCE_MS = 200;

/** How long a turn waits for it. */
export const TURN_PATIENCE_MS = 5_000;

/** The interval between attempts to open such a session. */
export const LOCK_CHECK_MS = 20;

/** Runs that are read at a time when they are listed. */
export const RUN_PAGE = 128;

/** Text in one page of runs, unless a single run has more. */
export const RUN_PAGE_BYTES = 1024 * 1024;

/** How often a call that waits for a run of another process looks whether that process has died. */
export const DEATH_CHECK_MS = 500;
