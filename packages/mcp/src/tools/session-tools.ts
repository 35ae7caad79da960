import {
  type HostPaths,
  openAllProjects,
  type SessionStore,
  type SessionSummary,
  shorten,
  textOf,
} from '@amplifier/host';
import { z } from 'zod';
import { LISTED_JOBS, SHOWN_CHARACTERS } from '../defaults.js';
import { McpToolError } from '../mcp-error.js';
import { defineTool, LOOKS } from './tool.js';

const Session = z.object({
  session_id: z.string(),
  status: z.string(),
  agent: z.string().nullable(),
  name: z.string().nullable(),
  project: z.string().nullable().describe('The folder of the project.'),
  created_at: z.string(),
  updated_at: z.string(),
});
type Session = z.infer<typeof Session>;

export const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List sessions',
  description:
    'List the sessions of all projects, newest first, wherever they were started: terminal, editor, web app or here. Continue one by calling delegate with its session_id.',
  input: z.strictObject({
    limit: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .nullish()
      .describe(`The maximum number. Default ${LISTED_JOBS}.`),
  }),
  output: z.object({ sessions: z.array(Session) }),
  annotations: LOOKS,
  async run({ limit }, { service, owner }) {
    // Sessions belong to the user; whoever has a token of their own sees their jobs alone.
    if (owner !== null) return { sessions: [] };
    return inRecord(service.paths(service.cwd), async (store) => {
      const page = await store.list({ parent_id: null, limit: limit ?? LISTED_JOBS });
      return { sessions: page.sessions.map(sessionOf) };
    });
  },
  text: ({ sessions }) => sessions.map(line).join('\n') || 'There are no sessions.',
});

export const showSession = defineTool({
  name: 'show_session',
  title: 'Show a session',
  description: 'Show the status and the last messages of a session, whichever process runs it.',
  input: z.strictObject({ session_id: z.string().min(1).max(200).describe('From list_sessions.') }),
  output: Session.extend({ last: z.array(z.object({ role: z.string(), text: z.string() })) }),
  annotations: LOOKS,
  run({ session_id }, { service, owner }) {
    if (owner !== null)
      throw new McpToolError('INVALID_INPUT', `session_id: There is no session ${session_id} of yours.`);
    return inRecord(service.paths(service.cwd), async (store) => {
      const metadata = await store.metadata(session_id);
      const last = (await store.tail(session_id, 10)).map(({ role, content }) => ({
        role,
        text: shorten(textOf(content), SHOWN_CHARACTERS),
      }));
      return { ...sessionOf(metadata), last };
    });
  },
  text: ({ last, ...session }) =>
    [line(session), ...last.map(({ role, text }) => `${role}: ${text}`)].join('\n'),
});

async function inRecord<T>(paths: HostPaths, read: (store: SessionStore) => Promise<T>): Promise<T> {
  const { store, queue } = await openAllProjects(paths);
  try {
    return await read(store);
  } finally {
    await queue.close();
    await store.close();
  }
}

type Shown = Pick<
  SessionSummary,
  'session_id' | 'status' | 'agent_name' | 'name' | 'project' | 'created' | 'updated'
>;

function sessionOf(session: Shown): Session {
  const { session_id, status, agent_name, name, project, created, updated } = session;
  return { session_id, status, agent: agent_name, name, project, created_at: created, updated_at: updated };
}

function line({ session_id, status, agent, name }: Session): string {
  return [session_id, status, agent, name].filter(Boolean).join('  ');
}
