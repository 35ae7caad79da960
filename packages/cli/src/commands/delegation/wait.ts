import { findSession, hostPaths, type Outcome } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { EXIT } from '../../exit-codes.js';
import { openCliHost } from '../../open/open-host.js';
import { seconds } from '../../options/session-options.js';
import { resultObject, showOutcome } from '../../output/show-outcome.js';
import type { Options } from '../../program/bind.js';
import { UsageError } from '../../usage-error.js';

/** Waits for sessions of any process. Exit code 3 when the time was up before they ended. */
export async function wait(cli: Cli, ids: readonly string[], options: Options): Promise<number> {
  const limit = options.timeout === undefined ? null : seconds('--timeout', options.timeout);
  const found = await Promise.all(ids.map((id) => findSession(id, hostPaths(cli.cwd))));
  const [first] = found;
  if (!first) return 0;
  if (found.some(({ place }) => place.sessions !== first.place.sessions))
    throw new UsageError(
      'These sessions belong to different folders. Wait for the sessions of each folder separately.',
    );
  await using host = await openCliHost(cli, { place: first.place });
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  const timer = limit === null ? undefined : setTimeout(() => stop.abort(), limit * 1000);
  const session_ids = found.map(({ session_id }) => session_id);
  const outcomes = await host.delegator.control.wait(session_ids, {
    any: Boolean(options.any),
    signal: stop.signal,
  });
  clearTimeout(timer);
  process.off('SIGINT', interrupt);
  const codes = await show(cli, outcomes, host);
  const missing = options.any ? outcomes.length === 0 : outcomes.length < session_ids.length;
  if (missing) cli.say('Not all sessions have ended. They keep running; wait for them again.');
  return missing ? EXIT.limit : Math.max(0, ...codes);
}

async function show(
  cli: Cli,
  outcomes: readonly Outcome[],
  host: { store: { document(id: string, name: 'launch'): Promise<unknown> } },
): Promise<number[]> {
  const results = await Promise.all(
    outcomes.map(async (outcome) => {
      const launch = (await host.store.document(outcome.session_id, 'launch')) as Parameters<
        typeof resultObject
      >[1];
      return { outcome, launch };
    }),
  );
  if (!cli.json) {
    const codes: number[] = [];
    for (const { outcome, launch } of results) codes.push(await showOutcome(cli, 'text', outcome, launch));
    return codes;
  }
  const [only] = results;
  if (results.length === 1 && only) return [await showOutcome(cli, 'json', only.outcome, only.launch)];
  cli.printJson(results.map(({ outcome, launch }) => resultObject(outcome, launch)));
  return results.map(({ outcome }) => (outcome.status === 'completed' ? 0 : 1));
}
