import { cancel, continueRun, findAgents, findTrees, fork, share, startDemo } from '../api/calls.js';
import { stateOf, wordOf } from '../live/state-of.js';
import { go, sessionPath, timelinePath } from '../route/route.js';
import { currentRoom } from '../session/current-room.js';
import { attempt, say } from '../ui/notices.js';
import { keysAreOpen } from './open.js';

export interface Entry {
  kind: 'Room' | 'Action' | 'Session' | 'Agent';
  name: string;
  hint?: string;
  act: () => void;
}

const ROOMS: Entry[] = [
  ['Now', '/', 'g n'],
  ['Agents', '/agents', 'g a'],
  ['Spend', '/spend', 'g s'],
  ['Settings', '/settings', 'g e'],
].map(([name = '', path = '/', hint = '']) => ({ kind: 'Room', name, hint, act: () => go(path) }));

/** What can be done here and now. */
function actions(): Entry[] {
  const all: Entry[] = [
    { kind: 'Action', name: 'Run the offline demo', act: () => void demo() },
    {
      kind: 'Action',
      name: 'Show all keys',
      hint: '?',
      act: () => {
        keysAreOpen.value = true;
      },
    },
  ];
  const room = currentRoom.value;
  const node = room?.node.value;
  if (!room || !node || !location.pathname.startsWith('/s/')) return all;
  const id = node.session_id;
  const state = stateOf(node);
  const add = (name: string, act: () => void) => all.unshift({ kind: 'Action', name, act });
  add('Delegate to another agent', () => {
    go(sessionPath(id));
    room.wantsDelegate.value = true;
  });
  add(
    'Fork this session',
    () => void attempt(() => fork(id)).then((made) => made && go(sessionPath(made.session_id))),
  );
  add('Copy a link that shows this tree for a day', () => void copyLink(room.root));
  add('Open the timeline', () => go(timelinePath(id)));
  add('Open the conversation', () => go(sessionPath(id)));
  if (state === 'running' || state === 'waiting') {
    add('Cancel this session and everything below', () => void attempt(() => cancel(id, 'subtree')));
    add('Cancel this session', () => void attempt(() => cancel(id, 'session')));
  }
  if (state === 'interrupted') add('Continue this session', () => void attempt(() => continueRun(id)));
  return all;
}

const DAY_SECONDS = 86_400;

/** Whoever has the link sees this tree, and nothing else, and can change nothing. */
async function copyLink(root: string): Promise<void> {
  const made = await attempt(() => share(root, DAY_SECONDS));
  if (!made) return;
  await navigator.clipboard?.writeText(made.url).catch(() => {});
  say(`Copied. The link shows this tree for a day: ${made.url}`);
}

export async function demo(): Promise<void> {
  say('Starting the offline demo.');
  const made = await attempt(startDemo);
  if (made) go(sessionPath(made.session_id));
}

/** Rooms, actions, sessions and agents that match. */
export async function entries(text: string): Promise<Entry[]> {
  const wanted = text.trim().toLowerCase();
  const fits = ({ name }: Entry) => isWithin(wanted, name.toLowerCase());
  const [sessions, agents] = await Promise.all([
    findTrees({ limit: 12, ...(wanted === '' ? {} : { query: text.trim() }) }).catch(() => []),
    knownAgents(),
  ]);
  const ours = [...actions(), ...ROOMS].filter(fits);
  const says = ({ name }: Entry) => name.toLowerCase().includes(wanted);
  return [
    ...ours.filter(says),
    ...sessions.map(
      (row): Entry => ({
        kind: 'Session',
        name: row.title ?? row.agent ?? row.session_id,
        hint: wordOf(row),
        act: () => go(sessionPath(row.session_id)),
      }),
    ),
    ...agents
      .map(
        ({ name }): Entry => ({
          kind: 'Agent',
          name,
          act: () => go(`/agents?agent=${encodeURIComponent(name)}`),
        }),
      )
      .filter(fits)
      .slice(0, 12),
    ...ours.filter((entry) => !says(entry)),
  ];
}

let agents: Promise<{ name: string }[]> | null = null;
function knownAgents(): Promise<{ name: string }[]> {
  agents ??= findAgents().catch(() => {
    agents = null;
    return [];
  });
  return agents;
}

/** All letters, in this order. */
export function isWithin(letters: string, name: string): boolean {
  let at = 0;
  for (const letter of letters) {
    if (letter === ' ') continue;
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
