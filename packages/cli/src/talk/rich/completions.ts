import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles } from '@amplifier/host';
import { type AutocompleteItem, type AutocompleteProvider, fuzzyFilter } from '@earendil-works/pi-tui';
import { shortId } from '../../output/session-title.js';

const MOST = 20;
/** How far a folder is looked through that git knows nothing of. */
const MOST_FOLDERS = 500;
const MOST_FILES = 5_000;

export interface CompletionSources {
  cwd: string;
  /** Slash commands, what each takes and does. */
  commands(): Promise<{ name: string; takes: string; words: string }[]>;
  agents(): Promise<string[]>;
  sessions(): Promise<{ id: string; title: string }[]>;
}

/** What Tab offers: slash commands, ids after /resume, and after an @ the files of the folder and its agents. */
export function completions({ cwd, commands, agents, sessions }: CompletionSources): AutocompleteProvider {
  return {
    async getSuggestions(lines, line, column) {
      const before = (lines[line] ?? '').slice(0, column);
      const [, slash] = /^\/(\S*)$/.exec(before) ?? [];
      if (slash !== undefined && line === 0) {
        const items = (await commands()).map(({ name, takes, words }) => ({
          value: `/${name} `,
          label: `/${name} ${takes}`.trimEnd(),
          description: words,
        }));
        return some(
          fuzzyFilter(items, slash, ({ value }) => value),
          `/${slash}`,
        );
      }
      const [, id] = /^\/(?:resume|continue)\s+(\S*)$/.exec(before) ?? [];
      if (id !== undefined) {
        const items = (await sessions()).map(({ id: value, title }) => ({
          value,
          label: shortId(value),
          description: title,
        }));
        return some(
          fuzzyFilter(items, id, ({ value, description }) => `${value} ${description}`),
          id,
        );
      }
      const [, mention] = /(?:^|\s)@(\S*)$/.exec(before) ?? [];
      if (mention === undefined) return null;
      const [files, names] = await Promise.all([projectFiles(cwd), agents().catch(() => [])]);
      const items = [
        ...files.map((file) => ({ value: `@${file} `, label: file })),
        ...names.map((name) => ({ value: `@${name} `, label: name, description: 'agent' })),
      ];
      return some(
        fuzzyFilter(items, mention, ({ label }) => label),
        `@${mention}`,
      );
    },
    applyCompletion(lines, cursorLine, cursorCol, { value }, prefix) {
      const text = lines[cursorLine] ?? '';
      const start = cursorCol - prefix.length;
      const changed = `${text.slice(0, start)}${value}${text.slice(cursorCol)}`;
      return { lines: lines.with(cursorLine, changed), cursorLine, cursorCol: start + value.length };
    },
  };
}

function some(items: AutocompleteItem[], prefix: string) {
  return items.length === 0 ? null : { items: items.slice(0, MOST), prefix };
}

/** The files of a folder as git sees them, what it ignores left out; outside of a repository all but hidden ones. */
async function projectFiles(cwd: string): Promise<string[]> {
  return (await listFiles(cwd).catch(() => null)) ?? filesBelow(cwd);
}

/** Files of a folder, those near its top first, and no more than a person would look for by name. */
async function filesBelow(cwd: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [''];
  for (let looked = 0; looked < MOST_FOLDERS && files.length < MOST_FILES; looked++) {
    const folder = folders.shift();
    if (folder === undefined) break;
    const entries = await readdir(join(cwd, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
      else if (entry.isFile()) files.push(join(folder, entry.name));
    }
  }
  return files;
}
