import type { WayIn } from '../way-in.js';

/** A command of the repository that is run in every tree that a session works in apart, as one that proposes does. */
const way: WayIn = {
  name: 'setup-command',
  settings: ({ command }) => ({ isolation: { setup: command } }),
};
export default way;
