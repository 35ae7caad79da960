import type { WayIn } from '../way-in.js';

/** A command of the repository, run at events of the session. */
const way: WayIn = {
  name: 'shell-hook',
  acts_when_trusted: true,
  settings: ({ command }) => ({
    modules: {
      hooks: [
        {
          module: 'hooks-shell',
          config: {
            hooks: ['session:start', 'prompt:submit', 'provider:request', 'session:end'].map((event) => ({
              event,
              command,
            })),
          },
        },
      ],
    },
  }),
};
export default way;
