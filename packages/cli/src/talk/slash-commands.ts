import { writeFile } from 'node:fs/promises';
import {
  closestNames,
  findCommand,
  type Host,
  type Outcome,
  type PromptCommand,
  promptCommands,
  shorten,
  shownText,
} from '@amplifier/host';
import type { Cli } from '../cli.js';
import { undoLines } from '../commands/changes/undo-turn.js';
import { fromFolder, whole } from '../options/session-options.js';
import { sessionTitle, shortId } from '../output/session-title.js';
import { table, wrap } from '../terminal/fit.js';
import { agentLines, childLines, costLine, endLines, toolLines, transcriptText } from './show-session.js';
import type { TalkSession } from './talk-session.js';

/** What a slash command works with. */
export interface Talk {
  readonly cli: Cli;
  readonly session: TalkSession;
  print(...lines: string[]): void;
  /** Null when the turn could not begin; why was said. */
  runTurn(text: string): Promise<Outcome | null>;
  /** Brings the interrupted session to its end. */
  continueTurn(): Promise<Outcome | null>;
  leave(): void;
}

interface SlashCommand {
  /** What follows the name, and what it does. Shown by /help. */
  takes?: string;
  words: string;
  /** May it be used while a turn runs? */
  anytime?: true;
  run(talk: Talk, argument: string): Promise<void> | void;
}

/** The slash commands. */
const SLASH_COMMANDS: Readonly<Record<string, SlashCommand>> = {
  agents: {
    words: 'list the agents',
    anytime: true,
    run: async ({ session, print, cli }) => print(...(await agentLines(session.host, cli.width))),
  },
  tools: {
    words: 'list the tools of this session',
    anytime: true,
    run: ({ session, print }) => print(...toolLines(session.host)),
  },
  model: { takes: '[provider/]MODEL', words: 'set the model from the next turn on', run: chooseModel },
  cost: {
    words: 'show tokens and cost',
    anytime: true,
    run: ({ session: { host, session_id }, print }) =>
      session_id === null
        ? print('Nothing has been used yet.')
        : costLine(host, session_id).then((line) => print(line)),
  },
  children: { words: 'list the child sessions', anytime: true, run: inSession(showChildren) },
  steer: { takes: 'TEXT', words: 'send a message to the running turn', anytime: true, run: steer },
  continue: {
    words: 'continue this session after its process died',
    run: inSession(async ({ continueTurn }) => {
      await continueTurn();
    }),
  },
  undo: {
    takes: '[yes]',
    words: 'undo the file changes of the last turn',
    run: inSession(async ({ session, print, cli }, session_id, argument) => {
      print(...(await undoLines(session.host.project.paths, session_id, cli, argument === 'yes')));
      if (argument !== 'yes') print('Type /undo yes to do it.');
    }),
  },
  fork: { takes: '[TURN]', words: 'continue in a copy, from the end or from a turn', run: inSession(fork) },
  resume: { takes: 'ID', words: 'switch to another session', run: resume },
  compact: { words: 'continue in a new session that starts with a summary', run: inSession(compact) },
  save: { takes: '[FILE]', words: 'write the conversation to a file', run: inSession(save) },
  help: { words: 'list the commands', anytime: true, run: showHelp },
  exit: { words: 'leave', anytime: true, run: (talk) => talk.leave() },
};

/** The commands and what each takes and does, those in files of the project and the person behind ours. */
export async function slashWords({
  project,
}: Host): Promise<{ name: string; takes: string; words: string }[]> {
  const ours = Object.entries(SLASH_COMMANDS).map(([name, { takes = '', words }]) => ({
    name,
    takes,
    words,
  }));
  const theirs = [...(await promptCommands(project)).values()]
    .filter(({ name }) => !Object.hasOwn(SLASH_COMMANDS, name))
    .map(({ name, hint, description, origin }) => ({
      name,
      takes: shownText(shorten(hint, LONGEST_HINT)),
      words: shownText(`${description || 'an instruction'} (${origin})`),
    }));
  return [...ours, ...theirs];
}

/** Longer ones leave no room for what the command does. */
const LONGEST_HINT = 24;

/** Sessions that /resume lists. */
const RECENT = 10;

/** The keys, for the help. */
const KEYS: readonly (readonly [string, string])[] = [
  ['Enter', 'send; while a turn runs, send to it'],
  ['\\ Enter, Ctrl-J', 'start a new line'],
  ['Tab', 'complete commands, @files, @agents and session ids'],
  ['Up, Ctrl-R', 'earlier inputs; search them'],
  ['Ctrl-G', 'write in $EDITOR'],
  ['Esc, Ctrl-C', 'stop the turn; press twice to quit'],
  ['Ctrl-D', 'leave'],
];

/** Runs a line that begins with a slash. */
export async function runSlashCommand(talk: Talk, line: string): Promise<void> {
  const [, said = '', argument = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const name = said === 'quit' ? 'exit' : said;
  const command = Object.hasOwn(SLASH_COMMANDS, name) ? SLASH_COMMANDS[name] : undefined;
  const prompts = command
    ? new Map<string, PromptCommand>()
    : await promptCommands(talk.session.host.project);
  if (!command && findCommand(name, prompts)) {
    if (talk.session.isRunning) talk.print(`/${name} waits for the turn to end. Press Ctrl-C to stop it.`);
    else await talk.runTurn(line);
  } else if (!command) {
    const [guess] = closestNames(name, [...Object.keys(SLASH_COMMANDS), ...prompts.keys()]);
    talk.print(guess ? `There is no /${name}. Did you mean /${guess}?` : `There is no /${name}. See /help.`);
  } else if (talk.session.isRunning && !command.anytime) {
    talk.print(`/${name} waits for the turn to end. Press Ctrl-C to stop it.`);
  } else {
    await command.run(talk, argument.trim());
  }
}

/** Tells the running turn something. */
export async function steer({ session, print, cli }: Talk, text: string): Promise<void> {
  if (text === '') return print('Add a text: /steer TEXT');
  if (!session.isRunning || session.session_id === null) return print('No turn is running. Just type it.');
  await session.steer(session.session_id, text);
  print(cli.color.dim('Sent. It is read at the next step.'));
}

/** A command that means nothing before there is a session. */
function inSession(
  run: (talk: Talk, session_id: string, argument: string) => Promise<void>,
): SlashCommand['run'] {
  return (talk, argument) => {
    const { session_id } = talk.session;
    return session_id === null ? talk.print('There is no session yet.') : run(talk, session_id, argument);
  };
}

function chooseModel({ session, print }: Talk, name: string): void {
  const { providers } = session.host;
  if (name === '') {
    const known = [...providers].map(([id, provider]) => `${id}/${provider.defaultModel ?? '?'}`);
    print(`Now: ${session.wish.model ?? 'as configured'}. Providers: ${known.join(', ')}`);
    return;
  }
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  session.wish = provider !== undefined && providers.has(provider) ? { provider, model } : { model: name };
  print(`From the next turn on: ${name}`);
}

async function showChildren({ session, print }: Talk, session_id: string): Promise<void> {
  const lines = await childLines(session.host, session_id);
  print(...(lines.length > 0 ? lines : ['This session has no children.']));
}

async function fork({ session, print }: Talk, session_id: string, turn: string): Promise<void> {
  print(`Now in ${await session.fork(session_id, turn === '' ? null : whole('/fork', turn, 1))}`);
}

async function resume({ session, print, cli }: Talk, id: string): Promise<void> {
  if (id === '')
    return print(...(await sessionLines(session.host, cli)), 'Switch with /resume ID; Tab completes it.');
  const { session_id, here } = await session.switchTo(id);
  if (here) return print(...(await endLines(session.host, session_id, cli)));
  print(`${session_id} belongs to another folder. Quit and run: amplifier session resume ${session_id}`);
}

/** The newest sessions of this folder. */
async function sessionLines({ store }: Host, { width }: Cli): Promise<string[]> {
  const { sessions } = await store.list({ parent_id: null, limit: RECENT });
  const rows = sessions.map(async (session) => [
    shortId(session.session_id),
    await sessionTitle(store, session),
  ]);
  return table(await Promise.all(rows), width);
}

async function compact({ session, runTurn, print }: Talk, session_id: string): Promise<void> {
  const done = await session.compact(runTurn);
  print(
    done
      ? `The next turn starts a new session with this summary. The old one is kept: ${session_id}`
      : 'The conversation is unchanged.',
  );
}

async function save({ session, print, cli }: Talk, session_id: string, file: string): Promise<void> {
  const path = fromFolder(cli.cwd, file === '' ? `${session_id}.md` : file);
  await writeFile(path, await transcriptText(session.host, session_id), { flag: 'wx' });
  print(`Written to ${path}`);
}

async function showHelp({ print, cli, session }: Talk): Promise<void> {
  const rows = (await slashWords(session.host)).map(({ name, takes, words }) => [
    `/${name} ${takes}`.trimEnd(),
    words,
  ]);
  print(...helpLines(rows, cli.width), '', ...helpLines(KEYS, cli.width));
}

/** Where it is narrow, what a command does stands below it. */
function helpLines(rows: readonly (readonly string[])[], width: number): string[] {
  if (width >= 60) return table(rows, width);
  return rows.flatMap(([name = '', words = '']) => [
    name,
    ...wrap(words, width - 2).map((line) => `  ${line}`),
  ]);
}
