import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Entries of earlier conversations that are remembered. */
export const HISTORY_LINES = 500;

/** What a person entered, in this conversation and those before, oldest first. An entry of several lines is kept as JSON. */
export function readHistory(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .filter(Boolean)
      .slice(-HISTORY_LINES)
      .map(parseEntry);
  } catch {
    return [];
  }
}

export function remember(file: string, text: string): void {
  const entry = text.trim();
  if (entry === '') return;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const line = entry.includes('\n') || entry.startsWith('"') ? JSON.stringify(entry) : entry;
    appendFileSync(file, `${line}\n`, { mode: 0o600 });
  } catch {
    // A history that cannot be kept is no reason to end a conversation.
  }
}

function parseEntry(line: string): string {
  if (!line.startsWith('"')) return line;
  try {
    return String(JSON.parse(line));
  } catch {
    return line;
  }
}
