import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { x } from 'tinyexec';
import type { WayIn } from '../way-in.js';

/** A pipe nobody writes to and a device without end: whoever opens them waits, or reads until the memory is full. */
const way: WayIn = {
  name: 'mention-of-a-pipe',
  prepare: async ({ folder }) => {
    await x('mkfifo', [join(folder, 'pipe.md')], { throwOnError: true });
    await symlink('/dev/zero', join(folder, 'zero.md'));
  },
  prompt: () => 'Look at @pipe.md and @zero.md and @./zero\n!call read_file {"file_path":"README.md"}',
};
export default way;
