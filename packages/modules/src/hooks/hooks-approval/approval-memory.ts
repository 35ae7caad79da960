import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Clock, isoTime, isPlainObject } from '@amplifier/core';

/** A lasting permission for one call, to one agent or to all of a conversation. */
export interface Permission {
  agent: string | null;
  tool: string;
  /** Of the whole call: see `callDigest`. Only a call with the same digest is covered. */
  digest: string;
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

function keyOf({ agent, tool, digest }: Permission): string {
  return JSON.stringify([agent, tool, digest]);
}

/**
 * A line that is cut off, or of a version that named less than the whole call, gives no permission: the question is asked again.
 * Throws for a file of anything else, which denies the call.
 */
async function permissionsIn(path: string): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const line of (await textOf(path)).split('\n')) {
    const stored = line === '' ? {} : readLine(line);
    if (!isPlainObject(stored))
      throw new Error(`${path} does not hold approvals. Remove it, or name another memory_file.`);
    if (typeof stored.digest === 'string') keys.add(keyOf(stored as unknown as Permission));
  }
  return keys;
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
