import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { stampOf } from '../documents/file-memo.js';
import { fileError, readTextFile } from '../documents/read-text-file.js';
import { fileOfAgent, readMember } from '../other-tools/member-agents.js';
import { parseAnyAgent } from '../other-tools/other-agents.js';
import type { ParsedAgent } from './parse-agent.js';

/** An agent file as it was read. Shared by all who asked for it: nobody may change it. */
export interface AgentFile extends ParsedAgent {
  /** SHA-256 of the file, so that a later reader can tell whether it changed. */
  digest: string;
}

/** Rejects with a `FoundationError` that names the file. */
export type ReadAgentFile = (path: string) => Promise<AgentFile>;

/** A reader that remembers: a file it could read is parsed again only when it changed. Those who share it share what it read. */
export function agentFileReader(): ReadAgentFile {
  const known = new Map<string, { stamp: string; file: Promise<AgentFile> }>();
  return async (path) => {
    const stats = await stat(fileOfAgent(path), { bigint: true }).catch((error) =>
      Promise.reject(fileError(error, path)),
    );
    const stamp = stampOf(stats);
    const remembered = known.get(path);
    if (remembered?.stamp === stamp) return remembered.file;
    const file = read(path);
    known.set(path, { stamp, file });
    file.catch(() => known.delete(path));
    return file;
  };
}

async function read(path: string): Promise<AgentFile> {
  const member = await readMember(path);
  const text = member?.text ?? (await readTextFile(path));
  const digest = createHash('sha256').update(text).digest('hex');
  return { digest, ...(member?.parsed ?? parseAnyAgent(text, path)) };
}
