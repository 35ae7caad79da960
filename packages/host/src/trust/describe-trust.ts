import type { Diagnostic } from '@amplifier/core';
import type { ActingPart } from './acting-parts.js';
import type { FolderTrust } from './folder-trust.js';

/** What would run, load, reach or be allowed, one line each, by file. All of it: a person trusts all of it. */
export function actingLines(parts: readonly ActingPart[]): string[] {
  return parts.map(({ file, what }) => `  ${what}  (${file})`);
}

/** For entry points without a person to ask: what is left out, and what to do about it. Null if nothing is left out. */
export function trustNotice({ state, folder, parts, added }: FolderTrust): Diagnostic | null {
  if (state === 'trusted' || parts.length === 0) return null;
  const what = state === 'changed' && added.length > 0 ? added : parts;
  const files = [...new Set(what.map(({ file }) => file))];
  const named = files.slice(0, 5).join(', ') + (files.length > 5 ? ` and ${files.length - 5} more` : '');
  const message =
    state === 'changed'
      ? `The configuration of ${folder} has changed since you trusted it: ${named}. Until you agree, none of it runs, loads or counts as a setting.`
      : `${folder} is not trusted: ${named} ${files.length === 1 ? 'is' : 'are'} read as text, and nothing in ${files.length === 1 ? 'it' : 'them'} runs, loads or counts as a setting.`;
  const how = `To see what it would do and to trust it: amplifier trust ${quoted(folder)}`;
  return { level: 'warning', code: 'FOLDER_NOT_TRUSTED', message: `${message} ${how}` };
}

/** As a shell takes it. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
