import { openSessionStore } from '@amplifier/sessions';
import { DatabaseSync } from '@photostructure/sqlite';

export interface SeedSession {
  session_id: string;
  created: string;
  status: string;
  parent_id?: string | null;
  root_id?: string;
  agent_name?: string | null;
  tool_call_id?: string | null;
  profile_name?: string | null;
}

/** Puts many sessions into a record without the minutes it takes to create them one by one. */
export async function seedSessions(file: string, sessions: Iterable<SeedSession>): Promise<void> {
  await (await openSessionStore(file)).close();
  const connection = new DatabaseSync(file);
  connection.exec('PRAGMA synchronous = OFF; BEGIN');
  const session = connection.prepare(
    `INSERT INTO sessions (session_id, parent_id, root_id, agent_name, tool_call_id, profile_name, created, status,
      interrupted, updated, ended, message_count, turn_count, event_count, agent_invocations, mailbox_cursor, usage, epoch, is_copied)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 0, 0, 1, 0, 0, ?, 1, 1) RETURNING n`,
  );
  const event = connection.prepare('INSERT INTO events (session, root_id, seq, body) VALUES (?, ?, 1, ?)');
  const usage = JSON.stringify({ input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null });
  for (const seed of sessions) {
    const { session_id, created, status, parent_id = null, root_id = session_id } = seed;
    const { agent_name = null, tool_call_id = null, profile_name = null } = seed;
    const row = session.get(
      session_id,
      parent_id,
      root_id,
      agent_name,
      tool_call_id,
      profile_name,
      created,
      status,
      created,
      created,
      usage,
    ) as { n: number };
    const data = {
      session_id,
      parent_id,
      root_id,
      trace_id: '0'.repeat(32),
      depth: parent_id === null ? 0 : 1,
      agent_name,
      tool_call_id,
      parallel_group_id: null,
      created,
      project: null,
      working_dir: null,
      profile_name,
      config: null,
      agent_overlay: null,
      forked_from: null,
      imported_from: null,
    };
    const about = { session_id, parent_id, root_id, data };
    event.run(
      row.n,
      root_id,
      JSON.stringify({ seq: 1, id: `evt_${row.n}`, time: created, name: 'session:created', ...about }),
    );
  }
  connection.exec('COMMIT');
  connection.close();
}
