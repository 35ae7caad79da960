import { hasCode, type SessionLog } from '@amplifier/sessions';
import type { HeldClaim } from '../background/held-claim.js';
import { DelegationError } from '../request/delegation-error.js';
import type { Runtime } from '../runtime.js';

interface OpenLogOptions {
  /** The token of the claim under which the session is taken over. */
  lease?: number | undefined;
  /** The claim that the log is revoked with. */
  claim?: HeldClaim | null | undefined;
}

/** The right to write a session. Must be closed (`await using`). Throws `SESSION_BUSY` while the session runs. */
export async function openLog(
  { logs }: Runtime,
  session_id: string,
  { lease, claim }: OpenLogOptions = {},
): Promise<SessionLog> {
  try {
    const log = await logs.open(session_id, { lease });
    claim?.add(log);
    return log;
  } catch (cause) {
    if (!hasCode(cause, 'SESSION_LOCKED')) throw cause;
    const message = `Session '${session_id}' is running. Wait for it, message it, or cancel it first.`;
    throw new DelegationError(message, { code: 'SESSION_BUSY', origin: session_id, cause });
  }
}
