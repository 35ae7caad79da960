import { fileURLToPath } from 'node:url';
import { outcomeText } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { openCliHost } from '../open-host.js';
import { findingLines } from '../show-findings.js';
import { stopOnSignal } from '../stop-on-signal.js';
import { type DelegationTree, EMPTY_TREE, foldEvent } from '../terminal/delegation-tree.js';
import { drawTree } from '../terminal/draw-tree.js';
import { table } from '../terminal/fit.js';
import { watchSession } from '../terminal/watch-session.js';

const BUNDLE = fileURLToPath(new URL('../../demo', import.meta.url));

/** Lines the offline provider carries out as they stand: three agents at once, one of which delegates further. */
const INSTRUCTION = `Find out what this folder holds.
- delegate explorer: read README.md
- delegate reviewer: glob *.json
- delegate scout-lead: delegate explorer: glob *.md`;

/** How whoever reads this started the program. */
const AMPLIFIER = process.env.npm_lifecycle_event === 'start' ? 'npm start --' : 'amplifier';

/** A real delegation on the present folder: real sessions, real tools, real files; only the model is fixed rules. */
export async function demo(cli: Cli): Promise<number> {
  cli.say(
    `A parent session delegates to three agents in ${cli.cwd}, without a key and without the network.\n`,
  );
  await using host = await openCliHost(cli, { bundle: BUNDLE, offline: true });
  const stop = stopOnSignal(cli);
  const form = cli.json ? 'json' : 'text';
  const watcher = watchSession(cli, form);
  let tree: DelegationTree = EMPTY_TREE;
  try {
    const { outcome } = await host.run({
      instruction: INSTRUCTION,
      safety_mode: 'read_only',
      trusted: true,
      cancellation: stop.token,
      onEvent(name, data) {
        tree = foldEvent(tree, name, data, Date.now());
        watcher.onEvent(name, data);
      },
    });
    watcher.close();
    const sessions = [...tree.values()].map(({ session_id, agent, state }) => ({ session_id, agent, state }));
    if (cli.json) {
      cli.printJson({
        status: outcome.status,
        session_id: outcome.session_id,
        response: outcomeText(outcome),
        sessions,
      });
    } else {
      for (const line of drawTree(tree, { now: Date.now(), width: cli.width, color: cli.color }))
        cli.print(line);
      cli.print(`\n${outcomeText(outcome).split('\n\n')[0]}\n`);
      for (const { session_id, agent, parent_id } of tree.values()) {
        if (parent_id !== outcome.session_id) continue;
        const child = (await host.delegator.control.status(session_id)).outcome;
        cli.print(`${cli.color.bold(agent)} ${child?.status ?? ''}`);
        const found = child ? findingLines(outcomeText(child)) : [];
        for (const line of table(
          found.map((each) => [each]),
          cli.width,
        ))
          cli.print(line);
      }
      cli.print('');
      for (const { session_id, agent } of sessions) cli.print(`${agent.padEnd(12)} ${session_id}`);
      const last = sessions.find(({ agent }) => agent === 'explorer') ?? sessions[0];
      cli.print(
        `\nContinue one of them:\n  ${AMPLIFIER} session resume ${last?.session_id} --offline "read package.json"`,
      );
      cli.print(`See the whole tree:\n  ${AMPLIFIER} session tree ${outcome.session_id}`);
    }
    return outcome.status === 'completed' ? 0 : 1;
  } finally {
    watcher.close();
    stop.release();
  }
}
