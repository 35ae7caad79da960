/** The steps from an empty database to this schema. A released one never changes. `{number}` is a key that counts up with the commits. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE plans (hash TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE processes (id TEXT PRIMARY KEY, identity TEXT NOT NULL, lease_until BIGINT NOT NULL);
CREATE TABLE sessions (
  n {number}, session_id TEXT NOT NULL, project TEXT,
  parent_id TEXT, root_id TEXT NOT NULL, agent_name TEXT, tool_call_id TEXT, profile_name TEXT,
  forked_from TEXT, imported_from TEXT, created TEXT NOT NULL,
  name TEXT, model TEXT, status TEXT NOT NULL, interrupted INTEGER NOT NULL, error TEXT,
  updated TEXT NOT NULL, started TEXT, ended TEXT,
  message_count INTEGER NOT NULL, turn_count INTEGER NOT NULL, event_count INTEGER NOT NULL,
  agent_invocations INTEGER NOT NULL, token_count INTEGER, mailbox_cursor BIGINT NOT NULL, usage TEXT NOT NULL,
  epoch INTEGER NOT NULL, owner TEXT, owned_since TEXT, owner_lease BIGINT, lease BIGINT,
  deleted TEXT, is_purged INTEGER NOT NULL DEFAULT 0, copied INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX sessions_id ON sessions (session_id) WHERE deleted IS NULL;
CREATE UNIQUE INDEX sessions_call ON sessions (parent_id, tool_call_id) WHERE deleted IS NULL AND tool_call_id IS NOT NULL;
CREATE INDEX sessions_parent ON sessions (parent_id, created, session_id);
CREATE INDEX sessions_root ON sessions (root_id, created, session_id);
CREATE INDEX sessions_project ON sessions (project, created, session_id);
CREATE INDEX sessions_age ON sessions (created, session_id);
CREATE INDEX sessions_active ON sessions (created, session_id) WHERE status = 'active';
CREATE INDEX sessions_owner ON sessions (owner) WHERE owner IS NOT NULL;
CREATE INDEX sessions_uncopied ON sessions (n) WHERE copied < message_count + event_count;
CREATE INDEX sessions_deleted ON sessions (session_id, deleted) WHERE deleted IS NOT NULL;
CREATE TABLE messages (
  n {number}, log BIGINT NOT NULL REFERENCES sessions (n), seq INTEGER NOT NULL,
  turn INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (log, seq)
);
CREATE TABLE bases (
  session BIGINT NOT NULL REFERENCES sessions (n), last INTEGER NOT NULL, log BIGINT NOT NULL REFERENCES sessions (n),
  PRIMARY KEY (session, last)
);
CREATE INDEX bases_log ON bases (log);
CREATE TABLE events (
  n {number}, session BIGINT NOT NULL REFERENCES sessions (n), seq INTEGER NOT NULL,
  body TEXT NOT NULL, plan TEXT REFERENCES plans (hash), UNIQUE (session, seq)
);
CREATE TABLE documents (
  session BIGINT NOT NULL REFERENCES sessions (n), name TEXT NOT NULL, body TEXT, plan TEXT REFERENCES plans (hash),
  PRIMARY KEY (session, name)
);
CREATE TABLE mail (
  n {number}, session BIGINT NOT NULL REFERENCES sessions (n), id TEXT NOT NULL, body TEXT NOT NULL,
  UNIQUE (session, id)
);
CREATE TABLE runs (
  seq {number}, run_id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, project TEXT, line TEXT NOT NULL,
  kind TEXT NOT NULL, payload TEXT NOT NULL, status TEXT NOT NULL, is_head INTEGER NOT NULL,
  enqueued TEXT NOT NULL, not_before TEXT, started TEXT, ended TEXT,
  attempts INTEGER NOT NULL, token BIGINT NOT NULL, owner TEXT, process TEXT, lease_until TEXT,
  cancel_requested TEXT, result TEXT
);
CREATE INDEX runs_head ON runs (seq) WHERE is_head = 1;
CREATE INDEX runs_line ON runs (line, seq) WHERE ended IS NULL;
CREATE INDEX runs_open ON runs (seq) WHERE ended IS NULL;
CREATE INDEX runs_session ON runs (session_id, seq);
CREATE INDEX runs_ended ON runs (ended) WHERE ended IS NOT NULL;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);`,
  // A commit writes every page that it touches: fewer indexes, and none that an append changes.
  `CREATE TABLE placed_messages (place INTEGER PRIMARY KEY, turn INTEGER NOT NULL, body TEXT NOT NULL);
INSERT INTO placed_messages (place, turn, body) SELECT log * 16777216 + seq, turn, body FROM messages;
DROP TABLE messages;
ALTER TABLE placed_messages RENAME TO messages;
CREATE TABLE placed_documents (place INTEGER PRIMARY KEY, body TEXT, plan TEXT REFERENCES plans (hash));
INSERT INTO placed_documents (place, body, plan)
  SELECT session * 4 + CASE name WHEN 'launch' THEN 0 WHEN 'mount_plan' THEN 1 WHEN 'bundle' THEN 2 ELSE 3 END, body, plan FROM documents;
DROP TABLE documents;
ALTER TABLE placed_documents RENAME TO documents;
ALTER TABLE sessions ADD COLUMN is_copied INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET is_copied = 1 WHERE copied >= message_count + event_count AND owner IS NULL;
DROP INDEX sessions_uncopied;
DROP INDEX sessions_owner;
DROP INDEX sessions_active;
ALTER TABLE sessions DROP COLUMN copied;
CREATE INDEX sessions_uncopied ON sessions (n) WHERE is_copied = 0;
CREATE INDEX sessions_open ON sessions (created, session_id) WHERE owner IS NOT NULL OR status = 'active';`,
  // What all who serve a record share beside its sessions: tokens, webhooks and their deliveries, keys of requests.
  `CREATE TABLE shelf (
  kind TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, until BIGINT, holder TEXT, held_until BIGINT,
  PRIMARY KEY (kind, name)
);
CREATE INDEX shelf_until ON shelf (until) WHERE until IS NOT NULL;
ALTER TABLE sessions ADD COLUMN place TEXT;
ALTER TABLE runs ADD COLUMN place TEXT;
ALTER TABLE runs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
DROP INDEX runs_head;
CREATE INDEX runs_head ON runs (priority DESC, seq) WHERE is_head = 1;`,
  // Whose it is, where teams share a record: '' is the operator's own. What hangs off a session is its tenant's. `caller` is the id of the
  // token that asked; `spent` counts the tokens and billionths of a dollar of a day (UTC).
  `ALTER TABLE sessions ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN caller TEXT NOT NULL DEFAULT '';
ALTER TABLE shelf ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_tenant ON sessions (tenant, created, session_id) WHERE tenant <> '';
CREATE INDEX runs_tenant ON runs (tenant, seq) WHERE tenant <> '';
CREATE TABLE audit (
  n {number}, time TEXT NOT NULL, tenant TEXT NOT NULL, caller TEXT NOT NULL,
  operation TEXT NOT NULL, target TEXT NOT NULL, outcome INTEGER NOT NULL
);
CREATE INDEX audit_tenant ON audit (tenant, n);
CREATE TABLE spent (
  day TEXT NOT NULL, tenant TEXT NOT NULL, caller TEXT NOT NULL, tokens BIGINT NOT NULL, cost BIGINT NOT NULL,
  PRIMARY KEY (day, tenant, caller)
);`,
  // Whose turn it is next, where several tenants wait.
  "CREATE INDEX runs_head_tenant ON runs (tenant, priority DESC, seq) WHERE is_head = 1 AND tenant <> '';",
  // Runs that ended in line, which their sessions have still to be told.
  "CREATE INDEX runs_unsettled ON runs (seq) WHERE status = 'cancelled' AND result IS NULL;",
  // Each index is a page of every commit that makes a session: one order for listings, and what only children need without the roots. What
  // a session may do is stored once, by its hash, as its plan is.
  `DROP INDEX sessions_call;
DROP INDEX sessions_parent;
DROP INDEX sessions_root;
DROP INDEX sessions_project;
DROP INDEX sessions_age;
CREATE UNIQUE INDEX sessions_child ON sessions (parent_id, tool_call_id) WHERE parent_id IS NOT NULL AND deleted IS NULL;
CREATE INDEX sessions_tree ON sessions (root_id) WHERE root_id <> session_id;
CREATE INDEX sessions_project ON sessions (project, created, session_id, parent_id) WHERE project IS NOT NULL;
CREATE INDEX sessions_age ON sessions (created, session_id, parent_id);
ALTER TABLE documents ADD COLUMN rights TEXT REFERENCES plans (hash);`,
  // How the last turn ended, which every turn writes: in the row that it changes in any case.
  'ALTER TABLE sessions ADD COLUMN last_outcome TEXT;',
  // Every entry of the feed is a row of `events`. `seq` counts the events of a session from 1; a message has its own number as a negative
  // one; from -16777216 down are events that no session numbers, such as those of runs; 0 is what is left of a purged one.
  `ALTER TABLE events ADD COLUMN root_id TEXT;
UPDATE events SET root_id = (SELECT root_id FROM sessions WHERE sessions.n = events.session);
CREATE INDEX events_session ON events (session, n);
CREATE INDEX events_tree ON events (root_id, n);`,
  // A run and its events change in one transaction: nothing is left to be settled later. `starts` counts how often its work was begun.
  `DROP INDEX runs_unsettled;
ALTER TABLE runs ADD COLUMN starts INTEGER NOT NULL DEFAULT 0;`,
  // What a session was created with is stored once: its first event and its launch record leave out what its row has. Of a session of an
  // earlier version the event has everything.
  `ALTER TABLE sessions ADD COLUMN trace_id TEXT;
ALTER TABLE sessions ADD COLUMN depth INTEGER;
ALTER TABLE sessions ADD COLUMN parallel_group_id TEXT;`,
];
