import { ensureRunning, placeRecordOf, signInLink, usersHome } from '@amplifier/daemon';
import type { Cli } from '../../cli.js';
import { openInBrowser } from '../../open-in-browser.js';
import type { Options } from '../../program/bind.js';

/** Opens the browser app of this home by a link that signs in once. The daemon goes on when this is over. */
export async function web(cli: Cli, { open, scope, port, offline }: Options): Promise<number> {
  const home = await placeRecordOf(await usersHome(process.env, cli.cwd), process.env);
  const running = await ensureRunning(home, {
    program: process.execPath,
    args: [
      process.argv[1] ?? '',
      'serve',
      ...(port === undefined ? [] : ['--port', String(port)]),
      ...(offline ? ['--offline'] : []),
    ],
    cwd: cli.cwd,
  });
  const url = await signInLink(home, process.env, running, scope as 'read' | 'run' | 'admin');
  if (cli.json) cli.printJson({ url, daemon: running });
  else cli.print(url);
  const isOpened = open !== false && (await openInBrowser(url));
  cli.say(
    isOpened
      ? 'Opened in your browser. The link works once, within a minute.'
      : 'Open this link in a browser. It works once, within a minute.',
  );
  return 0;
}
