import { findSession, hostPaths } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openCliHost } from '../../open/open-host.js';
import { continueCommand, howToContinue } from '../../output/show-outcome.js';
import { counted } from '../../terminal/fit.js';

/** How a session stands, its open questions and its children. */
export async function status(cli: Cli, id: string): Promise<number> {
  const { session_id, place } = await findSession(id, hostPaths(cli.cwd));
  await using host = await openCliHost(cli, { place });
  const { control } = host.delegator;
  const stand = await control.status(session_id);
  const [questions, children, owner] = await Promise.all([
    control.questions(session_id),
    control.children(session_id),
    host.store.owner(session_id),
  ]);
  if (cli.json) {
    const next = stand.interrupted ? { continue_with: continueCommand(session_id) } : {};
    cli.printJson({ ...stand, running: owner !== null, questions, children, ...next });
    return 0;
  }
  const state = stand.interrupted ? 'interrupted' : `${stand.status}${owner ? ', running' : ''}`;
  cli.print(`${session_id}  ${stand.agent ?? 'amplifier'}  ${state}`);
  cli.print(`${counted(stand.messages, 'message')}, last changed ${stand.updated}`);
  if (stand.outcome) cli.print(`ended: ${stand.outcome.status}`);
  if (stand.interrupted) cli.print(`Its process died during a turn. ${howToContinue(session_id)}`);
  for (const question of questions) cli.print(`asks (${question.id}): ${question.prompt}`);
  for (const child of children)
    cli.print(
      `child ${child.session_id}  ${child.agent ?? '-'}  ${child.interrupted ? 'interrupted' : child.status}`,
    );
  const left = stand.interrupted ? undefined : children.find(({ interrupted }) => interrupted);
  if (left) cli.print(howToContinue(left.session_id));
  return 0;
}
