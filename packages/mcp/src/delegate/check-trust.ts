import {
  isTrusted,
  isWiderMode,
  type LaunchRecord,
  type Looked,
  requiresTrust,
  type SafetyMode,
} from '@amplifier/host';
import { McpToolError } from '../mcp-error.js';
import type { DelegationSettings } from '../settings/delegation-settings.js';

/** What whoever runs a server for others lets its callers do. */
export interface OperatorRules {
  /** Throws for a folder that callers may not work in; gives back its real place. */
  allows: (folder: string, looked?: Looked) => Promise<string>;
  /** May the folder be changed? */
  trusts: (folder: string, looked?: Looked) => Promise<boolean>;
  /** The widest mode that anyone is given. */
  widest: SafetyMode;
  /** The only folders that sessions may read, beside those of the system; null where they are not kept to any. */
  readable: readonly string[] | null;
  /** Folders that no session may touch. */
  homes: readonly string[];
  /** Throws for a session that was launched with access to more than that. */
  requireReach: (launch: Pick<LaunchRecord, 'session_id' | 'grant'>) => Promise<void>;
}

export interface TrustRules {
  settings: DelegationSettings;
  /** Does a caller's `trust_workspace` count here? */
  honours_trust: boolean;
  /** Null where the user's own settings decide. */
  operator: OperatorRules | null;
}

/** The folder may be changed, or the mode does not change it. Says whether the folder is trusted; throws where it has to be and is not. */
export async function checkTrust(
  safety_mode: SafetyMode,
  working_dir: string,
  asked: boolean,
  { settings, honours_trust, operator }: TrustRules,
  looked?: Looked,
): Promise<boolean> {
  if (operator && isWiderMode(safety_mode, operator.widest))
    throw new McpToolError(
      'SAFETY_MODE_WIDER',
      `safety_mode: The operator of this server allows ${operator.widest} at most, not ${safety_mode}.`,
    );
  const listed = operator
    ? await operator.trusts(working_dir, looked)
    : await isTrusted(working_dir, settings.trusted_workspaces, looked);
  const trusted = listed || (asked && honours_trust);
  if (trusted || !requiresTrust(safety_mode)) return trusted;
  const way = honours_trust
    ? 'Ask the user, then pass trust_workspace: true, or have them run: amplifier trust.'
    : 'What a caller says does not count here: the operator has to name the folder (runs.working_roots and runs.trust_working_dir of the daemon), or the user runs: amplifier trust.';
  throw new McpToolError(
    'WORKSPACE_NOT_TRUSTED',
    `${safety_mode} needs ${working_dir} to be trusted. ${way}`,
  );
}
