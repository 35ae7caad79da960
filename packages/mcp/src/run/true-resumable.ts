import type { Host } from '@amplifier/host';
import type { Ended } from './run-session.js';

/** The same end, and resumable only where the session can be given another turn: not every external agent keeps its sessions. */
export async function withTrueResumable({ store }: Pick<Host, 'store'>, ended: Ended): Promise<Ended> {
  const { outcome, launch } = ended;
  if (launch.engine === 'in_process' || !outcome.resumable) return ended;
  const { extra } = await store.metadata(outcome.session_id);
  const keeps = (extra.acp_session as { keeps?: boolean } | undefined)?.keeps !== false;
  return keeps ? ended : { launch, outcome: { ...outcome, resumable: false } };
}
