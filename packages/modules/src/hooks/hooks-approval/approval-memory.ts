import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Clock, isoTime } from '@amplifier/core';

/** A permission somebody gave for good, for one tool and one thing: to one agent, or to all of a conversation. */
export interface Permission {
  agent: string | null;
  tool: string;
  subject: string;
}

export interface ApprovalMemory {
  holds(permission: Permission): Promise<boolean>;
  remember(permission: Permission): Promise<void>;
}

/** Permissions given in this conversation, and with a file those of all sessions that share it. */
export function approvalMemory(
  file: string | undefined,
  clock: Clock,
  given: Set<string> = new Set(),
): ApprovalMemory {
  const path = file?.startsWith('~/') ? join(homedir(), file.slice(2)) : file && resolve(file);
  return {
    async holds(permission) {
      const key = keyOf(permission);
      return given.has(key) || (path !== undefined && (await permissionsIn(path)).has(key));
    },
    async remember(permission) {
      given.add(keyOf(permission));
      if (path === undefined) return;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await appendFile(path, `${JSON.stringify({ time: isoTime(clock), ...permission })}\n`, { mode: 0o600 });
    },
  };
}

function keyOf({ agent, tool, subject }: Permission): string {
  return JSON.stringify([agent, tool, subject]);
}

/** A line that cannot be read gives no permission: the worst it can do is to have the question asked again. */
async function permissionsIn(path: string): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const line of (await textOf(path)).split('\n')) {
    try {
      if (line !== '') keys.add(keyOf(JSON.parse(line)));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return keys;
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
