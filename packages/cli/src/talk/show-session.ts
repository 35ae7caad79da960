import {
  cacheHitRate,
  type Host,
  messagePages,
  moduleSpec,
  type SessionSummary,
  textOf,
} from '@amplifier/host';
import type { Cli } from '../cli.js';
import { table } from '../terminal/fit.js';

/** Messages that remind a person where a session ended. */
const LAST_MESSAGES = 4;

/** Who can be delegated to, as lines. */
export async function agentLines({ project }: Host, width: number): Promise<string[]> {
  const { agents } = await project.agents.listAgents();
  const rows = agents.map(({ name, origin, agent }) => [
    name,
    origin,
    agent.description.replace(/\s+/g, ' '),
  ]);
  return table(rows, width);
}

export function toolLines({ plan }: Host): string[] {
  return (plan.tools ?? []).map((entry) => moduleSpec(entry)?.module ?? String(entry));
}

export async function costLine({ store }: Host, session_id: string): Promise<string> {
  const { usage } = await store.metadata(session_id);
  const cost = usage.cost_usd === null ? 'cost unknown' : `$${usage.cost_usd}`;
  const hits = cacheHitRate(usage);
  const cached = hits === null ? '' : `, ${Math.round(hits * 100)} % of the input from the cache`;
  return `${usage.total_tokens} tokens${cached}, ${cost} (this session; /children shows the others)`;
}

/** All sessions below one, each indented below its parent. */
export async function childLines({ store }: Host, session_id: string): Promise<string[]> {
  const below = async (children: readonly SessionSummary[], indent: string): Promise<string[]> => {
    const lines = children.map(async (child) => [
      `${indent}${child.agent_name ?? '-'}  ${child.status}  ${child.session_id}`,
      ...(await below(await store.children(child.session_id), `${indent}  `)),
    ]);
    return (await Promise.all(lines)).flat();
  };
  return below(await store.children(session_id), '');
}

const INTERRUPTED = 'interrupted: its process died during a turn. Type /continue to finish it.';

/** Where a session ended: the last things that were said. */
export async function endLines(
  { store, delegator }: Host,
  session_id: string,
  { color }: Cli,
): Promise<string[]> {
  const last = await store.tail(session_id, LAST_MESSAGES);
  const said = last.flatMap(({ role, content }) => {
    const text = textOf(content).trim();
    return text === '' || role === 'tool' ? [] : [`${color.bold(role)} ${text}`];
  });
  // A session without a launch record has no status; its messages are shown all the same.
  const { interrupted } = await delegator.control.status(session_id).catch(() => ({ interrupted: false }));
  const next = interrupted ? [color.bold(INTERRUPTED)] : [];
  return [color.dim(`session ${session_id}`), ...said, ...next];
}

/** A whole session as Markdown. */
export async function transcriptText({ store }: Host, session_id: string): Promise<string> {
  const parts = [`# ${session_id}\n`];
  for await (const messages of messagePages(store, session_id))
    for (const { role, name, content } of messages)
      parts.push(`## ${name ? `${role} ${name}` : role}\n\n${textOf(content)}\n`);
  return parts.join('\n');
}
