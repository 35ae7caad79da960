import { findSession, hostPaths } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openCliHost } from '../../open/open-host.js';
import type { Options } from '../../program/bind.js';

export async function cancel(cli: Cli, id: string, options: Options): Promise<number> {
  const { session_id, place } = await findSession(id, hostPaths(cli.cwd));
  await using host = await openCliHost(cli, { place });
  const level = options.now ? 'immediate' : 'graceful';
  const stopped = await host.delegator.control.cancel(session_id, { level, by: 'user' });
  if (cli.json) cli.printJson({ session_id, stopped });
  else if (stopped.length === 0) cli.say(`${session_id} has ended already.`);
  else for (const each of stopped) cli.print(each);
  return 0;
}

/** Tells a session something. When it waits for an answer, this is the answer. */
export async function message(cli: Cli, id: string, text: string): Promise<number> {
  const { session_id, place } = await findSession(id, hostPaths(cli.cwd));
  await using host = await openCliHost(cli, { place });
  const { control } = host.delegator;
  const [question] = await control.questions(session_id);
  if (question) await control.answer(session_id, question.id, text);
  else await control.message(session_id, text, 'user');
  if (cli.json)
    cli.printJson({
      session_id,
      delivered_as: question ? 'answer' : 'message',
      question_id: question?.id ?? null,
    });
  else cli.say(question ? `Answered: ${question.prompt}` : 'Sent. It is read at the next step.');
  return 0;
}
