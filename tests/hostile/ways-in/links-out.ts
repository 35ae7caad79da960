import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { WayIn } from '../way-in.js';

/** Folders that are links to everything there is, which takes for ever to look through, and files that are links to secrets. */
const way: WayIn = {
  name: 'links-out',
  prepare: async ({ folder, secretFile }) => {
    const links: Record<string, string> = {
      '.amplifier/commands': '/',
      '.amplifier/routing': '/',
      '.amplifier/skills': '/',
      '.opencode/agent': '/',
      '.opencode/commands': '/',
      '.claude/agents': '/',
      '.claude/commands/secret.md': secretFile,
      '.amplifier/agents/secret.md': secretFile,
      '.agents/skills/secret/SKILL.md': secretFile,
      'GEMINI.md': secretFile,
    };
    for (const [name, place] of Object.entries(links)) {
      const path = join(folder, name);
      await mkdir(join(path, '..'), { recursive: true });
      await rm(path, { force: true });
      await symlink(place, path);
    }
  },
};
export default way;
