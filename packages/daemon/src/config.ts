import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AmplifierError, type JsonObject } from '@amplifier/core';
import { LimitOptions } from '@amplifier/delegation';
import { parseYamlMapping } from '@amplifier/foundation';
import { absoluteFolder, deploymentHome, NetworkAccess, SafetyMode } from '@amplifier/workspace';
import { z } from 'zod';
import { DaemonError } from './daemon-error.js';
import {
  APPROVAL_TIMEOUT_SECONDS,
  AUDIT_DAYS,
  DEFAULT_HOST,
  DEFAULT_PORT,
  FOLLOWER_STALL_MS,
  HEARTBEAT_MS,
  MAX_ACTIVE_RUNS,
  MAX_BODY_BYTES,
  MAX_CHILDREN,
  MAX_DEPTH,
  MAX_FOLLOWERS,
  MAX_QUEUED_RUNS,
  RATE_LIMIT_PER_SECOND,
  REQUEST_TIMEOUT_MS,
  SHUTDOWN_TIMEOUT_MS,
  TRASH_DAYS,
} from './defaults.js';

const flag = z.preprocess(
  (value) => (value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value),
  z.boolean(),
);
const list = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((item) => item.trim())
          .filter(Boolean)
      : value,
  z.array(z.string()),
);
const count = z.coerce.number().int().nonnegative();

/** A group of settings; in the environment it is written as YAML. */
function section<S extends z.ZodObject>(variable: string, shape: S) {
  const read = (value: unknown) =>
    typeof value === 'string' ? parseYamlMapping({ text: value, file: variable }).data : (value ?? {});
  return z.preprocess(read, shape);
}

const RunsConfig = z.strictObject({
  /** What becomes of a run that was cut off when the daemon stopped or died. Default: `continue` where daemons share a server, else `interrupt`. */
  on_restart: z.enum(['interrupt', 'continue']).optional(),
  /** Runs at work at the same time; more wait in line. */
  max_active: z.number().int().positive().default(MAX_ACTIVE_RUNS),
  /** Runs of one session that may wait in line. */
  max_queued: z.number().int().nonnegative().default(MAX_QUEUED_RUNS),
  /** Where sessions work that name no folder of their own. Default: where the daemon was started. */
  working_dir: z.string().optional(),
  /** More folders that sessions may work in or below. A session that names any other is refused. */
  working_roots: z.array(z.string()).default([]),
  /** What sessions may do with the files of the machine, over REST; at /mcp the most that a caller may ask for. */
  safety_mode: SafetyMode.default('write'),
  /** What of sessions may reach the network at most. Default: all in trusted folders, all but commands elsewhere. */
  network: NetworkAccess.optional(),
  /** Do `working_dir` and `working_roots` count as trusted? Else `write` and `yolo` are refused but for the user's trusted folders. */
  trust_working_dir: z.boolean().default(true),
  /** How far a session may go, for those limits that no run may loosen. */
  limits: LimitOptions.default({}),
});

const ApprovalsConfig = z.strictObject({
  /** Seconds; null waits for ever. */
  timeout_seconds: z.number().positive().nullable().default(APPROVAL_TIMEOUT_SECONDS),
  /** What counts when nobody has answered by then. `leave` keeps the question open. */
  on_timeout: z.enum(['deny', 'allow', 'leave']).default('deny'),
});
export type ApprovalTimeouts = z.infer<typeof ApprovalsConfig>;

const dayLimits = {
  /** Runs at work at the same time, at all daemons; more wait in line. */
  max_active: z.number().int().positive().optional(),
  /** A day is one of UTC. */
  tokens_per_day: z.number().int().nonnegative().optional(),
  /** In dollars. */
  cost_per_day: z.number().nonnegative().optional(),
};
export type DayLimits = { [Member in keyof typeof dayLimits]?: number | undefined };

const TenantConfig = z.strictObject({
  ...dayLimits,
  /** The same for each of its tokens. */
  each_token: z.strictObject(dayLimits).default({}),
  /** Where its sessions work that name no folder. Default: the folder of its name below `runs.working_dir`. */
  working_dir: z.string().optional(),
  /** More folders that its sessions may work in or below. */
  working_roots: z.array(z.string()).default([]),
  /** More folders that its sessions may read, such as where compilers are. */
  readable: z.array(z.string()).default([]),
});

/** Throws for a tenant that the configuration does not list: nothing would say where its files are, and keep others from them. */
export function checkListed(tenants: DaemonConfig['tenants'], tenant: string): string {
  if (Object.hasOwn(tenants, tenant)) return tenant;
  throw new DaemonError(
    'TENANT_NOT_LISTED',
    `The tenant ${tenant} is not listed. Add \`tenants: { ${tenant}: {} }\` to config/daemon.yaml of every daemon, and restart them.`,
  );
}

const members = z.strictObject({
  host: z.string().default(DEFAULT_HOST),
  /** 0 takes any free one. */
  port: count.max(65_535).default(DEFAULT_PORT),
  /** Names beside the loopback ones that the daemon answers to. */
  allowed_hosts: list.default([]),
  /** Origins of web apps that may call from a browser. */
  allowed_origins: list.default([]),
  /** Folders that collections and refs may point into, beside the home. */
  source_roots: list.default([]),
  /** Let git and http refs reach loopback and private addresses. */
  allow_private_refs: flag.default(false),
  /** Let webhooks reach loopback and private addresses. */
  allow_private_webhooks: flag.default(false),
  /** Needed to listen beyond the loopback without TLS in front. */
  insecure: flag.default(false),
  /** Ask git and http collections for news when the daemon starts. */
  sync_on_start: flag.default(true),
  max_body_bytes: count.default(MAX_BODY_BYTES),
  max_depth: count.default(MAX_DEPTH),
  max_children: count.default(MAX_CHILDREN),
  trash_days: count.default(TRASH_DAYS),
  /** Also write sessions as files for people to read. */
  readable_copies: flag.default(true),
  request_timeout_ms: count.default(REQUEST_TIMEOUT_MS),
  shutdown_timeout_ms: count.default(SHUTDOWN_TIMEOUT_MS),
  /** Requests per second and token, averaged over five seconds; 0 is no limit. */
  rate_limit_per_second: count.default(RATE_LIMIT_PER_SECOND),
  /** Files of the certificate chain and its key, in PEM. With both the daemon speaks https only. */
  tls_cert: z.string().optional(),
  tls_key: z.string().optional(),
  /** Followers of events at once; more are refused with 503. */
  max_followers: count.default(MAX_FOLLOWERS),
  /** Streams of events say at least this often that they are alive. */
  heartbeat_ms: count.min(1).default(HEARTBEAT_MS),
  /** A follower that takes nothing for this long is cut off. */
  follower_stall_ms: count.min(1).default(FOLLOWER_STALL_MS),
  runs: section('AMPLIFIERD_RUNS', RunsConfig),
  approvals: section('AMPLIFIERD_APPROVALS', ApprovalsConfig),
  /** What teams that share the deployment may do, by the names that their tokens have. */
  tenants: z
    .preprocess(
      (value) =>
        typeof value === 'string'
          ? parseYamlMapping({ text: value, file: 'AMPLIFIERD_TENANTS' }).data
          : value,
      z.record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/), TenantConfig),
    )
    .default({}),
  /** Lines of the audit are kept for so many days. */
  audit_days: count.default(AUDIT_DAYS),
  /** A PostgreSQL server that has the record instead of a file: its address, or `url`, `direct` and `connections`. */
  database: z
    .union([
      z.string(),
      z.strictObject({
        url: z.string(),
        direct: z.string().optional(),
        connections: z.number().int().positive().optional(),
      }),
    ])
    .optional(),
  /**
   * Where this daemon is, for a record on a server: its runs are those of these places, and those without a folder. Daemons that see
   * the same folders under the same paths have one in common. Default: the name of the host.
   */
  places: list.optional(),
  log_level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});
/** How the daemon itself is run. What a session is run with comes with each request instead. */
export const DaemonConfig = members.refine(
  ({ tls_cert, tls_key }) => (tls_cert === undefined) === (tls_key === undefined),
  { message: 'tls_cert and tls_key go together', path: ['tls_cert'] },
);
export type DaemonConfig = z.infer<typeof DaemonConfig>;

/** Where the daemon keeps its things. */
export interface DaemonHome {
  home: string;
  config: string;
  share: string;
  state: string;
  cache: string;
  log: string;
  /** The file that all sessions are in. */
  record: string;
  /** What the right to be the daemon of this home is called in the record. */
  lease: string;
  /** The trees of sessions that work apart. Beside the home, because no session may look into that. */
  trees: string;
  /** Other processes write the same record: a session is given free as soon as nobody here uses it. */
  isShared: boolean;
  /** Where this daemon is, when the record is on a server; null when that is its own file. The first is that of its folders. */
  places: readonly string[] | null;
  /** `amplifier serve`: the record, settings, providers and agents are the user's own. Else it is a deployment. */
  isUsers: boolean;
}

/** Where sessions of a deployment find what they need. */
export function deploymentPlaces({ home, record, cache, log, trees }: DaemonHome) {
  return { home, record, cache: join(cache, 'modules'), logs: log, trees };
}

/** Where the record is the home's own, there is one daemon for it. */
const LEASE = 'daemon';

/** The folders that have to be there before anything is put into them. */
export function homeFolders({ home, config, share, state, cache, log }: DaemonHome): string[] {
  return [home, config, share, state, cache, log];
}

export type Environment = Readonly<Record<string, string | undefined>>;

function homeAt(home: string, folder: (name: string) => string = (name) => join(home, name)) {
  const [config, share, state] = [folder('config'), folder('share'), folder('state')];
  return {
    home,
    config,
    share,
    state,
    cache: folder('cache'),
    log: folder('log'),
    lease: LEASE,
    places: null,
  };
}

/** The home of a deployment. */
export function daemonHome(environment: Environment): DaemonHome {
  const home = deploymentHome(environment);
  const folders = homeAt(home, (name) => {
    const variable = `AMPLIFIERD_${name.toUpperCase()}_DIR`;
    return absoluteFolder(variable, environment) ?? join(home, name);
  });
  const trees = absoluteFolder('AMPLIFIERD_TREES_DIR', environment) ?? `${home}-trees`;
  return { ...folders, record: join(folders.state, 'record.db'), trees, isShared: false, isUsers: false };
}

/** The home of `amplifier serve`: a folder in the user's own for what only a server has, the rest is shared. */
export async function usersHome(environment: Environment, cwd: string): Promise<DaemonHome> {
  const { hostPaths } = await import('@amplifier/host');
  const { home, record, trees } = hostPaths(cwd, environment);
  return { ...homeAt(join(home, 'daemon')), record, trees, isShared: true, isUsers: true };
}

/** Flags go before `AMPLIFIERD_*`, these before `config/daemon.yaml`, that before the defaults. */
export async function readConfig(
  { config }: DaemonHome,
  environment: Environment,
  flags: JsonObject = {},
  defaults: JsonObject = {},
): Promise<DaemonConfig> {
  const file = join(config, 'daemon.yaml');
  const merged = {
    ...defaults,
    ...(await readFileConfig(file)),
    ...environmentConfig(environment),
    ...flags,
  };
  const parsed = DaemonConfig.safeParse(merged);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'config'}: ${message}`);
  throw new AmplifierError(
    `The configuration is invalid: ${faults.join('; ')}. Correct ${file}, AMPLIFIERD_* or the flags.`,
    { code: 'INVALID_CONFIG', origin: file },
  );
}

function environmentConfig(environment: Environment): JsonObject {
  const config: JsonObject = {};
  for (const key of Object.keys(members.shape)) {
    const value = environment[`AMPLIFIERD_${key.toUpperCase()}`];
    if (value !== undefined && value !== '') config[key] = value;
  }
  return config;
}

async function readFileConfig(file: string): Promise<JsonObject> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  return parseYamlMapping({ text, file }).data;
}
