import { join } from 'node:path';
import { type Host, hostPaths } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { sessionTitle } from '../output/session-title.js';
import { PlainScreen } from './plain-screen.js';
import { slashWords } from './slash-commands.js';
import type { ScreenEvents, TalkScreen } from './talk-screen.js';

export type OpenScreen = (events: ScreenEvents) => TalkScreen;

/** The terminal as it can be used: drawn in place, or line by line where it cannot, or where the person has it read to them. */
export async function screenFor(cli: Cli, host: Host): Promise<OpenScreen> {
  const historyFile = join(hostPaths(cli.cwd).home, 'history');
  if (isPlain(host)) return (events) => new PlainScreen(cli, historyFile, events);
  const [{ RichScreen }, { completions }] = await Promise.all([
    import('./rich/rich-screen.js'),
    import('./rich/completions.js'),
  ]);
  const windows = contextWindows(host);
  return (events) =>
    new RichScreen({
      cli,
      historyFile,
      events,
      hasColors: cli.color.bold('x') !== 'x',
      contextWindow: (model) => windows.get(model) ?? null,
      completions: completions({
        cwd: cli.cwd,
        commands: () => slashWords(host),
        agents: async () => (await host.project.agents.listAgents()).agents.map(({ name }) => name),
        sessions: async () => {
          const { sessions } = await host.store.list({ parent_id: null, limit: 30 });
          return Promise.all(
            sessions.map(async (session) => ({
              id: session.session_id,
              title: await sessionTitle(host.store, session),
            })),
          );
        },
      }),
    });
}

function isPlain({ project }: Host): boolean {
  const { TERM, AMPLIFIER_SCREEN_READER } = process.env;
  const { terminal } = project.settings.settings as { terminal?: { screen_reader?: boolean } };
  return TERM === 'dumb' || Boolean(AMPLIFIER_SCREEN_READER) || terminal?.screen_reader === true;
}

/** How many tokens each model takes, as its provider says. Asked once, and nobody waits for it. */
function contextWindows({ providers }: Host): ReadonlyMap<string, number> {
  const windows = new Map<string, number>();
  for (const provider of providers.values())
    provider.listModels().then(
      (models) => {
        for (const { id, context_window } of models) windows.set(id, context_window);
      },
      () => {}, // The status line does without.
    );
  return windows;
}
