import type { WayIn } from '../way-in.js';

/** Sets the clipboard, clears the screen, in seven bits and in eight, and turns the direction of writing. */
const PAINT = '\\e]52;c;ZXZpbA==\\a\\e[2J\\x9b2J\\u202e';

/** Texts that would act on the terminal they are shown in: of agents, of commands and of the model. */
const way: WayIn = {
  name: 'terminal-text',
  files: () => ({
    '.amplifier/agents/painted.md': `---\nname: painted\ndescription: "Paints ${PAINT}"\n---\nYou paint.\n`,
    'AGENTS.md': 'Painted: \u001b]52;c;ZXZpbA==\u0007\u001b[2J\n',
  }),
  prompt: () =>
    [
      `!call bash ${JSON.stringify({ command: "printf '\\033]52;c;ZXZpbA==\\007\\033[2J\\302\\233 2J\\342\\200\\256'" })}`,
      '!call delegate {"agent":"painted","context_depth":"none","instruction":"!say \\u001b]52;c;ZXZpbA==\\u0007\\u001b[2J painted"}',
    ].join('\n!then\n'),
};
export default way;
