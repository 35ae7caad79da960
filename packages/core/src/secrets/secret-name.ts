/** A name is secret by its last words, so `client_secret` and `x-api-key` are, and `max_tokens` or `token_count` are not. */
const SECRET_NAME =
  /(^|_)(api_?key|access_?key|private_?key|secret_?key|signing_?key|secret|password|passwd|passphrase|token|credentials?|auth|authorization|bearer|cookie|connection_string)$/;

export function isSecretName(name: string): boolean {
  const known = KNOWN_NAMES.get(name);
  if (known !== undefined) return known;
  const isSecret = readsAsSecret(name);
  if (KNOWN_NAMES.size >= MAX_KNOWN_NAMES) KNOWN_NAMES.clear();
  KNOWN_NAMES.set(name, isSecret);
  return isSecret;
}

/** The same few hundred names come up in every plan. */
const KNOWN_NAMES = new Map<string, boolean>();
const MAX_KNOWN_NAMES = 4_096;

function readsAsSecret(name: string): boolean {
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  return SECRET_NAME.test(snake);
}
