import { closestNames } from '@amplifier/host';
import type { Conversation } from './conversation.js';

interface SlashCommand {
  name: string;
  /** Shown by /help. */
  words: string;
  /** May it be used while a turn runs? */
  anytime?: boolean;
  run(talk: Conversation, argument: string): Promise<void> | void;
}

/** Everything that can be said with a slash. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: 'agents', words: 'who can be delegated to', anytime: true, run: (talk) => talk.showAgents() },
  { name: 'tools', words: 'the tools of this session', anytime: true, run: (talk) => talk.showTools() },
  {
    name: 'model',
    words: '[provider/]MODEL: the model from the next turn on',
    run: (talk, name) => talk.chooseModel(name),
  },
  {
    name: 'cost',
    words: 'what this conversation has used and cost',
    anytime: true,
    run: (talk) => talk.showCost(),
  },
  {
    name: 'children',
    words: 'the sessions below this one',
    anytime: true,
    run: (talk) => talk.showChildren(),
  },
  {
    name: 'steer',
    words: 'TEXT: tell the running turn something',
    anytime: true,
    run: (talk, text) => talk.steer(text),
  },
  {
    name: 'fork',
    words: '[TURN]: go on in a copy, from the end or from a turn',
    run: (talk, turn) => talk.fork(turn),
  },
  { name: 'resume', words: 'ID: go on with another session', run: (talk, id) => talk.switchTo(id) },
  {
    name: 'compact',
    words: 'go on in a new session that begins with a summary',
    run: (talk) => talk.compact(),
  },
  { name: 'save', words: '[FILE]: write the conversation to a file', run: (talk, file) => talk.save(file) },
  { name: 'help', words: 'this list', anytime: true, run: (talk) => talk.showHelp() },
  { name: 'exit', words: 'leave', anytime: true, run: (talk) => talk.leave() },
];

/** Runs a line that begins with a slash. What goes wrong is said and ends nothing. */
export async function runSlashCommand(talk: Conversation, line: string, busy: boolean): Promise<void> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = SLASH_COMMANDS.find(
    (each) => each.name === name || (name === 'quit' && each.name === 'exit'),
  );
  if (!command) {
    const [guess] = closestNames(
      name,
      SLASH_COMMANDS.map((each) => each.name),
    );
    talk.print(guess ? `There is no /${name}. Did you mean /${guess}?` : `There is no /${name}. See /help.`);
    return;
  }
  if (busy && !command.anytime) {
    talk.print(`/${name} waits for the turn to end. Press Ctrl-C to stop it.`);
    return;
  }
  await command.run(talk, argument.trim());
}
