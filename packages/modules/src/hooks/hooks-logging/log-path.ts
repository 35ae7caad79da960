import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const UNSAFE = /[^A-Za-z0-9._-]/g;

/** Where a session's events go. The id is made safe first: it must not lead out of the folder. */
export function logPath(template: string | undefined, sessionId: string): string {
  const name = sessionId.replace(UNSAFE, '_').replace(/^\.+/, '_');
  if (template === undefined) return join(amplifierHome(), 'logs', `${name}.jsonl`);
  const filled = template.replaceAll('{session_id}', name);
  return filled.startsWith('~/') ? join(homedir(), filled.slice(2)) : resolve(filled);
}

function amplifierHome(): string {
  return process.env.AMPLIFIER_HOME ?? join(homedir(), '.amplifier');
}
