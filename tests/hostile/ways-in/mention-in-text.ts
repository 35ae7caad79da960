import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { WayIn } from '../way-in.js';

/** Texts of the repository that mention the user's secrets: one that is read, one that is an agent's, one through a link. */
const way: WayIn = {
  name: 'mention-in-text',
  files: ({ secretFile }) => ({
    'docs/start.md': 'See @~/.ssh/id_rsa and @user:keys.env and @next.md',
    'docs/next.md': `See @~/.ssh/id_rsa and @root${secretFile}`,
    '.amplifier/agents/reviewer.md':
      '---\nname: reviewer\ndescription: Reviews.\n---\nYou review. @~/.ssh/id_rsa @user:keys.env @project:../.ssh/id_rsa @root/etc/passwd\n',
  }),
  prepare: async ({ folder, secretFile }) => {
    await symlink('/', join(folder, 'root'));
    await symlink(secretFile, join(folder, '.amplifier', 'agents', 'linked.md'));
  },
  prompt: ({ secretFile }) =>
    `Look at @docs/start.md and @docs/next.md and @root${secretFile}\n!call delegate {"agent":"reviewer","context_depth":"none","instruction":"!say Ok."}\n!then\n!call delegate {"agent":"linked","context_depth":"none","instruction":"!say Ok."}`,
};
export default way;
