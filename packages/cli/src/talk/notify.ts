import { type Host, shownText } from '@amplifier/host';

/** A turn that took longer than this may have let the person look elsewhere. */
const LONG_MS = 20_000;

/** `off`: never. `bell`: a bell alone. `on`: a bell, and a note where the terminal shows them (OSC 9). `always`: of short turns, too. */
const WISHES = ['off', 'bell', 'on', 'always'] as const;
type Wish = (typeof WISHES)[number];

/** What the person set in `terminal.notify`; `AMPLIFIER_NOTIFY` goes before it. */
function notifyWish({ project }: Pick<Host, 'project'>): Wish {
  const { terminal } = project.settings.settings as { terminal?: { notify?: unknown } };
  const said = process.env.AMPLIFIER_NOTIFY || terminal?.notify;
  if (said === false) return 'off';
  return WISHES.find((wish) => wish === said) ?? 'on';
}

/** Calls back a person who looks elsewhere, after a turn that began at `started`. `inFront` is null where the terminal does not tell. */
export function callBack(
  what: string,
  {
    host,
    started,
    inFront = null,
  }: { host: Pick<Host, 'project'>; started: number; inFront?: boolean | null },
): void {
  const wish = notifyWish(host);
  if (wish === 'off' || process.env.TERM === 'dumb' || !process.stdout.isTTY || inFront === true) return;
  if (Date.now() - started < LONG_MS && wish !== 'always') return;
  process.stdout.write(wish === 'bell' ? '\x07' : `\x1b]9;amplifier: ${shownText(what)}\x07\x07`);
}
