import { findSession, hostPaths, interruptedIn, openQueue, openStore, textOf } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { whole } from '../../options/session-options.js';
import type { Options } from '../../program/bind.js';

/** What a session is and the end of what was said in it. */
export async function sessionShow(cli: Cli, id: string, options: Options): Promise<number> {
  const count = whole('--messages', options.messages, 0);
  const { session_id, place } = await findSession(id, hostPaths(cli.cwd));
  await using store = await openStore(place.sessions, cli.report);
  await using queue = await openQueue(place.queue, cli.report);
  const stored = await store.metadata(session_id);
  const metadata = {
    ...stored,
    interrupted: await interruptedIn(store, queue)(stored),
  };
  const messages = count === 0 ? [] : await store.tail(session_id, count);
  if (cli.json) {
    cli.printJson({ ...metadata, messages });
    return 0;
  }
  const {
    status,
    interrupted,
    agent_name,
    parent_id,
    root_id,
    depth,
    created,
    updated,
    model,
    working_dir,
    usage,
    error,
  } = metadata;
  const facts: [string, string | null][] = [
    ['session', session_id],
    [
      'status',
      interrupted
        ? `interrupted: its process died; continue it with: amplifier continue ${session_id}`
        : status,
    ],
    ['agent', agent_name],
    ['parent', parent_id],
    ['root', root_id === session_id ? null : root_id],
    ['depth', depth > 0 ? String(depth) : null],
    ['folder', working_dir],
    ['created', created],
    ['updated', updated],
    ['model', model],
    ['turns', String(metadata.turn_count)],
    ['messages', String(metadata.message_count)],
    ['tokens', String(usage.total_tokens)],
    ['cost', usage.cost_usd === null ? null : `$${usage.cost_usd}`],
    ['error', error && `${error.code}: ${error.message}`],
  ];
  for (const [name, value] of facts)
    if (value !== null) cli.print(`${cli.color.dim(name.padEnd(9))} ${value}`);
  for (const { role, name, content, tool_calls } of messages) {
    cli.print(`\n${cli.color.bold(name ? `${role} ${name}` : role)}`);
    const said = textOf(content).trim();
    if (said !== '') cli.print(said);
    for (const call of tool_calls ?? [])
      cli.print(cli.color.dim(`→ ${call.tool}(${JSON.stringify(call.arguments)})`));
  }
  return 0;
}
