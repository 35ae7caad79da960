import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { x } from 'tinyexec';
import type { WayIn } from '../way-in.js';

/** A pipe nobody writes to where settings are looked for: whoever opens it waits for ever. */
const way: WayIn = {
  name: 'settings-pipe',
  prepare: async ({ folder }) => {
    const file = join(folder, '.claude/settings.local.json');
    await mkdir(dirname(file), { recursive: true });
    await x('mkfifo', [file], { throwOnError: true });
  },
};
export default way;
