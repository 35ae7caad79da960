import type { CancellationToken, MountPlan } from '@amplifier/core';
import type { NetworkAccess } from '@amplifier/workspace';
import type { RootRequest } from './launch/plan-root.js';
import type { TurnRights } from './launch/with-rights.js';
import type { LaunchRecord } from './launch-record.js';
import type { LimitWishes } from './limits/limits.js';
import type { RunSlot } from './limits/run-slots.js';
import type { Attachment } from './read-attachments.js';

/** Whoever runs a turn from outside may stop it and watch it. */
export interface Watching {
  cancellation?: CancellationToken;
  onEvent?: NonNullable<RootRequest['onEvent']>;
}

export interface ResumeOptions extends Watching {
  /** Tighter limits for this turn and all that it delegates. None of them widens what the session was launched with. */
  limits?: LimitWishes;
  /** What of this turn may reach the network, at most what the session was launched with. */
  network?: NetworkAccess;
  /** By what name whoever asks for the turn will know it after a crash (`startedBy`). */
  call_id?: string;
  /** Run this turn with these rights. Default: those the session was launched with. */
  rights?: TurnRights;
  /** Run this turn on these instead of what the record says. */
  providers?: MountPlan['providers'];
  /** May the loop continue with another provider when one fails? Default: as the record says. */
  failover?: boolean;
  /** Files that go along with the instruction. */
  attachments?: readonly Attachment[];
  /** Throws where the turn is not to begin any more. Asked when nobody else can write the session, and nothing is written. */
  check?: () => Promise<unknown>;
}

export interface Continuing {
  cancellation?: CancellationToken | undefined;
  onEvent?: Watching['onEvent'] | undefined;
  /** The token of the claim under which the turn is taken over. */
  lease?: number;
  /** Asked when the session is open: throws where the turn is no longer the caller's to continue. */
  check?: (() => Promise<unknown>) | undefined;
  /** Its record, where it has been read already. */
  launch?: LaunchRecord;
  /** Its run slot, where it has got one already. Whoever got it gives it back. */
  slot?: RunSlot | undefined;
}
