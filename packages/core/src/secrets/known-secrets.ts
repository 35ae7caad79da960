import { isSecretName } from './secret-name.js';

/** Shorter values are words, and a text without its words says nothing. */
const SHORTEST = 8;

/** `MY_KEY`, `PGPASSWORD`, `GH_PAT`: names of variables that the general rule does not know. */
const SECRET_VARIABLE = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$|(^|_)PAT$/i;

/** Where a secret lies is none, nor is a number. */
const NO_SECRET = /^(~?\/|\d+$)/;

/** One list for the process, longest first: whatever leaves the process is searched for all of them. */
let known: string[] = [];

/** From now on the values of variables whose names say that they are secret are known wherever they turn up. */
export function keepSecrets(variables: Readonly<Record<string, string | undefined>>): void {
  const values = Object.entries(variables).flatMap(([name, value = '']) =>
    (isSecretName(name) || SECRET_VARIABLE.test(name)) && value.length >= SHORTEST && !NO_SECRET.test(value)
      ? [value]
      : [],
  );
  const fresh = values.filter((value) => !known.includes(value));
  if (fresh.length > 0) known = [...new Set([...known, ...fresh])].sort((a, b) => b.length - a.length);
}

export function redactKnown(text: string, replacement: string): string {
  return known.reduce(
    (left, value) => (left.includes(value) ? left.replaceAll(value, replacement) : left),
    text,
  );
}
