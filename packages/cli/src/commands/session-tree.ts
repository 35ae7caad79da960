import { findSession, hostPaths, openStore, type SessionMetadata, type SessionStore } from '@amplifier/host';
import type { Cli } from '../cli.js';

interface Branch {
  session_id: string;
  agent: string | null;
  status: string;
  cost: string | null;
  tokens: number;
  children: Branch[];
}

/** A session and everything below it, with what each node itself has cost. */
export async function sessionTree(cli: Cli, id: string): Promise<number> {
  const { session_id, place } = await findSession(id, hostPaths(cli.cwd));
  await using store = await openStore(place.sessions, cli.report);
  const tree = await branchOf(store, session_id);
  if (cli.json) cli.printJson(tree);
  else for (const line of draw(tree, '', '')) cli.print(line);
  return 0;
}

async function branchOf(store: SessionStore, session_id: string): Promise<Branch> {
  const { agent_name, status, interrupted, usage }: SessionMetadata = await store.metadata(session_id);
  const children = await store.children(session_id);
  return {
    session_id,
    agent: agent_name,
    status: interrupted ? 'interrupted' : status,
    cost: usage.cost_usd,
    tokens: usage.total_tokens,
    children: await Promise.all(children.map((child) => branchOf(store, child.session_id))),
  };
}

function draw(
  { session_id, agent, status, cost, tokens, children }: Branch,
  first: string,
  rest: string,
): string[] {
  const spent = [`${tokens} tok`, ...(cost === null ? [] : [`$${cost}`])].join(' · ');
  return [
    `${first}${agent ?? 'amplifier'}  ${status}  ${spent}  ${session_id}`,
    ...children.flatMap((child, index) =>
      index === children.length - 1
        ? draw(child, `${rest}└─ `, `${rest}   `)
        : draw(child, `${rest}├─ `, `${rest}│  `),
    ),
  ];
}
