import { isSecretName } from '@amplifier/core';

/**
 * The environment for a command of the session: ours without the variables whose names say that they hold a secret.
 * `pass` names secrets that the user wants commands to have all the same.
 */
export function commandEnv(
  own: NodeJS.ProcessEnv = process.env,
  pass: readonly string[] = [],
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && (!isSecretName(name) || pass.includes(name))) env[name] = value;
  }
  return env;
}
