import {
  findSession,
  hostPaths,
  interruptedIn,
  openQueue,
  openStore,
  type SessionMetadata,
  type SessionStore,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';

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
  await using queue = await openQueue(place.queue, cli.report);
  const tree = await branchOf(session_id, store, interruptedIn(store, queue));
  if (cli.json) cli.printJson(tree);
  else for (const line of draw(tree, '', '')) cli.print(line);
  const left = firstInterrupted(tree);
  if (left) cli.say(`Continue it with: amplifier continue ${left}`);
  return 0;
}

async function branchOf(
  session_id: string,
  store: SessionStore,
  interrupted: ReturnType<typeof interruptedIn>,
): Promise<Branch> {
  const metadata: SessionMetadata = await store.metadata(session_id);
  const { agent_name, status, usage } = metadata;
  const children = await store.children(session_id);
  return {
    session_id,
    agent: agent_name,
    status: (await interrupted(metadata)) ? 'interrupted' : status,
    cost: usage.cost_usd,
    tokens: usage.total_tokens,
    children: await Promise.all(children.map((child) => branchOf(child.session_id, store, interrupted))),
  };
}

/** The highest session of a tree that was interrupted. */
function firstInterrupted({ session_id, status, children }: Branch): string | undefined {
  if (status === 'interrupted') return session_id;
  return children.map(firstInterrupted).find((id) => id !== undefined);
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
