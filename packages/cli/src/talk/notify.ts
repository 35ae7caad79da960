import { shownText } from '@amplifier/host';

/** A turn that took longer than this may have let the person look elsewhere. */
const LONG_MS = 20_000;

/**
 * Rings, and tells terminals that show notes (OSC 9), when something took so long that the person may be elsewhere. Terminals show
 * it only while they are not in front. `AMPLIFIER_NOTIFY=off` keeps quiet, `always` tells of short turns, too.
 */
export function notifyWhenLong(tookMs: number, what: string): void {
  const { AMPLIFIER_NOTIFY: wish = '', TERM } = process.env;
  if (wish === 'off' || TERM === 'dumb' || !process.stdout.isTTY) return;
  if (tookMs < LONG_MS && wish !== 'always') return;
  process.stdout.write(`\x1b]9;amplifier: ${shownText(what)}\x07\x07`);
}
