import { DaemonError } from '../daemon-error.js';
import { MAX_METADATA_BYTES } from '../defaults.js';

/** Refuses metadata that is larger than allowed. What was stored before this limit may shrink. */
export function checkMetadata(metadata: object | undefined, before: object = {}): void {
  const size = sizeOf(metadata ?? {});
  if (size <= MAX_METADATA_BYTES || size < sizeOf(before)) return;
  throw new DaemonError(
    'PAYLOAD_TOO_LARGE',
    `The metadata has ${size} bytes; a session has at most ${MAX_METADATA_BYTES}.`,
  );
}

function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
