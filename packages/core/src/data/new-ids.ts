import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../process/clock.js';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;
/** Digits that are counted up as a number; the others are kept as text. */
const COUNTED_DIGITS = 4;
const COUNTED_END = 32 ** COUNTED_DIGITS;
/** Two digits at a time. */
const PAIRS = Array.from({ length: 1024 }, (_, at) => `${CROCKFORD[at >> 5]}${CROCKFORD[at & 31]}`);

/** Gives `count` bytes that nobody can guess, or, in a test, that everybody can. */
export type RandomBytes = (count: number) => Uint8Array;

/** Random bytes of the system, fetched many at a time: most of the cost is in the asking. */
export const systemRandom: RandomBytes = (count) => {
  if (count > RANDOM_POOL_BYTES) return randomBytes(count);
  if (pooled + count > pool.length) {
    // A plain array: a part of it is taken at once, where that of a Buffer is made by many calls.
    pool = new Uint8Array(randomBytes(RANDOM_POOL_BYTES));
    pooled = 0;
  }
  pooled += count;
  return pool.subarray(pooled - count, pooled);
};

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const RANDOM_POOL_BYTES = 4_096;
let pool = new Uint8Array();
let pooled = 0;

function randomHex(bytes: number, random: RandomBytes = systemRandom): string {
  let text = '';
  for (const byte of random(bytes)) text += HEX[byte];
  return text;
}

/** 32 hex digits shared by a root and everything below it. */
export function newTraceId(random: RandomBytes = systemRandom): string {
  return randomHex(16, random);
}

/**
 * ULIDs that rise within one source, also when the clock stands still or is set back: within one millisecond the random
 * part is counted up instead of drawn again, which also spares most of the cost.
 */
export function ulidSource(clock: Clock = systemClock, random: RandomBytes = systemRandom): () => string {
  let last = -1;
  const digits = new Uint8Array(RANDOM_DIGITS - COUNTED_DIGITS);
  let head = '';
  let counted = 0;
  const writeHead = () => {
    head = timeText(last);
    for (const digit of digits) head += CROCKFORD[digit];
  };
  return () => {
    const now = clock.now();
    if (now > last) {
      last = now;
      counted = 0;
      const bytes = random(RANDOM_DIGITS);
      for (let at = 0; at < RANDOM_DIGITS; at++) {
        const digit = (bytes[at] ?? 0) & 31;
        if (at < digits.length) digits[at] = digit;
        else counted = counted * 32 + digit;
      }
      writeHead();
    } else if (++counted === COUNTED_END) {
      counted = 0;
      if (!countUp(digits)) last++;
      writeHead();
    }
    return `${head}${PAIRS[counted >> 10]}${PAIRS[counted & 1023]}`;
  };
}

function timeText(milliseconds: number): string {
  let text = '';
  for (let rest = milliseconds, at = 0; at < TIME_DIGITS; at++, rest = Math.floor(rest / 32))
    text = `${CROCKFORD[rest % 32]}${text}`;
  return text;
}

/** Adds one. False when it began again at zero. */
function countUp(digits: Uint8Array): boolean {
  for (let at = digits.length - 1; at >= 0; at--) {
    const digit = (digits[at] ?? 0) + 1;
    digits[at] = digit & 31;
    if (digit < 32) return true;
  }
  return false;
}

const SUB_SESSION_ID = /^[0-9a-f]{16}-([0-9a-f]{16})_/;
const TRACE_ID = /^[0-9a-f]{32}$/;
const MAX_AGENT_LENGTH = 128 - 34;

/**
 * `<parent span>-<child span>_<agent>`. The parent span is the parent's own child span, else the middle of the trace
 * id, else zeros.
 */
export function subSessionId(
  parent: { session_id: string; trace_id?: string | null },
  agent: string,
  random: RandomBytes = systemRandom,
): string {
  const own = SUB_SESSION_ID.exec(parent.session_id)?.[1];
  const trace = parent.trace_id && TRACE_ID.test(parent.trace_id) ? parent.trace_id.slice(8, 24) : undefined;
  return `${own ?? trace ?? '0'.repeat(16)}-${randomHex(8, random)}_${agentPart(agent)}`;
}

export function rootSessionId(ulid: string): string {
  return `session_${ulid}`;
}

function agentPart(name: string): string {
  const part = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_AGENT_LENGTH)
    .replace(/^-+|-+$/g, '');
  return part || 'agent';
}
