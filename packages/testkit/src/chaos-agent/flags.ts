import { parseArgs } from 'node:util';

/** How the agent behaves before it is asked anything. */
export function readFlags(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      /** Milliseconds before it answers `initialize`. */
      'handshake-delay': { type: 'string' },
      /** Never answers `initialize`. */
      'no-handshake': { type: 'boolean', default: false },
      /** Ends at once with this code, after a word on its error output. */
      'exit-at-start': { type: 'string' },
      /** The protocol version it speaks. */
      protocol: { type: 'string', default: '1' },
      /** Nobody has logged in. */
      'needs-login': { type: 'boolean', default: false },
      /** Nobody has logged in, and it says so only when it is asked something. */
      'login-at-prompt': { type: 'boolean', default: false },
      /** Never answers `session/new`. */
      'no-session': { type: 'boolean', default: false },
      /** Never answers when it is told which model, mode or effort to use. */
      'no-choice': { type: 'boolean', default: false },
      /** Takes images in prompts. */
      images: { type: 'boolean', default: false },
      resume: { type: 'boolean', default: false },
      /** Offers `session/resume`, and `session/load`, and does not know them when they are called. */
      'resume-missing': { type: 'boolean', default: false },
      'load-missing': { type: 'boolean', default: false },
      load: { type: 'boolean', default: false },
      /** Replays the history only after it has answered `session/load`. */
      'replay-late': { type: 'boolean', default: false },
      /** Model ids it offers, with commas. */
      models: { type: 'string', default: '' },
      /** Offers them the way of older agents. */
      'legacy-models': { type: 'boolean', default: false },
      /** Accepts a model and stays with the one it had. */
      'stubborn-model': { type: 'boolean', default: false },
      /** Levels of effort it offers, with commas. */
      efforts: { type: 'string', default: '' },
      /** Session modes it offers, with commas. */
      modes: { type: 'string', default: '' },
      /** Taken on the command line, for agents that choose their model there. */
      model: { type: 'string' },
      thinking: { type: 'string' },
      /** Goes on after its input ended. */
      'ignore-eof': { type: 'boolean', default: false },
      'ignore-sigterm': { type: 'boolean', default: false },
    },
  });
  return values;
}

export function listOf(text: string): string[] {
  return text.split(',').filter((item) => item !== '');
}
