import { fileURLToPath } from 'node:url';
import { type DelegationTree, foldEvent, type Host, type Outcome, outcomeText } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openCliHost } from '../../open/open-host.js';
import { stopOnSignal } from '../../stop-on-signal.js';
import { agentName, drawTree, stateOf } from '../../terminal/draw-tree.js';
import { counted, wrap } from '../../terminal/fit.js';
import { printAnswer } from '../../terminal/print-answer.js';
import { watchSession } from '../../terminal/watch-session.js';

const BUNDLE = fileURLToPath(new URL('../../../demo', import.meta.url));

/** Lines the offline provider carries out as they stand: three agents at once, one of which delegates further. */
const INSTRUCTION = `Find out what this folder holds.
- delegate explorer: read README.md
- delegate reviewer: glob *.json
- delegate scout-lead: delegate explorer: glob *.md`;

/** How whoever reads this started the program. */
const AMPLIFIER = process.env.npm_lifecycle_event === 'start' ? 'npm start --' : 'amplifier';

/** Lines of what each agent found that are shown; all of it is in its session. */
const SHOWN_LINES = 9;

/** A real delegation on the present folder: real sessions, real tools, real files; only the model is fixed rules. */
export async function demo(cli: Cli): Promise<number> {
  for (const line of wrap(
    `A parent session delegates to three agents in ${cli.cwd}, without a key and without the network.\n`,
    cli.width,
  ))
    cli.say(line);
  await using host = await openCliHost(cli, { bundle: BUNDLE, offline: true });
  const stop = stopOnSignal(cli);
  const watcher = watchSession(cli, cli.json ? 'json' : 'text');
  const tree: DelegationTree = new Map();
  try {
    const { outcome } = await host.run({
      instruction: INSTRUCTION,
      safety_mode: 'read_only',
      trusted: true,
      cancellation: stop.token,
      onEvent(name, data) {
        foldEvent(tree, { name, data, time: new Date().toISOString() });
        watcher.onEvent(name, data);
      },
    });
    watcher.close();
    if (cli.json) {
      const sessions = [...tree.values()].map((node) => ({
        session_id: node.session_id,
        agent: agentName(node),
        state: stateOf(node),
      }));
      const { status, session_id } = outcome;
      cli.printJson({ status, session_id, response: outcomeText(outcome), sessions });
    } else await showEnd(cli, host, tree, outcome);
    return outcome.status === 'completed' ? 0 : 1;
  } finally {
    watcher.close();
    stop.release();
  }
}

/** The tree, what each agent found, and what a person may want to do next. */
async function showEnd(cli: Cli, host: Host, tree: DelegationTree, { session_id }: Outcome): Promise<void> {
  for (const line of drawTree(tree, { now: Date.now(), width: cli.width, color: cli.color })) cli.print(line);
  const children = [...tree.values()].filter(({ parent_id }) => parent_id === session_id);
  for (const child of children) {
    const { outcome } = await host.delegator.control.status(child.session_id);
    cli.print(`\n${cli.color.bold(agentName(child))}`);
    await printAnswer(cli, beginning(outcome ? outcomeText(outcome) : 'It has no outcome.'));
  }
  const next = [
    ['Talk to it, still without a model', '--offline'],
    ['Connect a model', 'init'],
    ['See these sessions again', `session tree ${session_id}`],
    [
      'Give one of them another task',
      `session resume ${children[0]?.session_id} --offline "read package.json"`,
    ],
  ];
  cli.print('');
  for (const line of wrap('No model was used: fixed rules answered instead. What next?', cli.width))
    cli.print(line);
  for (const [what, command] of next)
    cli.print(`  ${what}:\n    ${cli.color.bold(`${AMPLIFIER} ${command}`)}`);
}

/** What an agent found first, without the words about the provider at its end. */
function beginning(answer: string): string {
  const lines = answer.split('\n\n').slice(0, -1).join('\n\n').split('\n');
  if (lines.length <= SHOWN_LINES) return lines.join('\n');
  const shown = lines.slice(0, SHOWN_LINES);
  const fences = shown.flatMap((line) => /^`{3,}/.exec(line) ?? []);
  const close = fences.length % 2 === 1 ? fences.slice(-1) : [];
  return [...shown, ...close, '', `… ${counted(lines.length - SHOWN_LINES, 'more line')}`].join('\n');
}
