import { systemClock } from '@amplifier/core';
import { all, run, shareDatabase } from '@amplifier/sessions';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { SCOPES, type Scope } from '../src/auth/scope.js';
import { ScopedTokens } from '../src/auth/scoped-tokens.js';
import { EventReader } from './event-reader.js';
import type { RunBench } from './run-bench.js';
import { call, script } from './run-profile.js';
import { WebhookReceiver } from './webhook-receiver.js';

export const TenantTrial = fc.record({
  scope: fc.constantFrom(...SCOPES, 'admin' as const),
  byCookie: fc.boolean(),
  /** Which operation of the API, or call at MCP. */
  operation: fc.noBias(fc.nat(1_000_000)),
  /** Are the ids in address, query and body those of the other tenant? */
  inPath: fc.boolean(),
  inQuery: fc.boolean(),
  inBody: fc.boolean(),
  at: fc.noBias(fc.nat(1_000)),
});
type TenantTrial = typeof TenantTrial extends fc.Arbitrary<infer Trial> ? Trial : never;

interface Operation {
  method: string;
  path: string;
}

/** A tenant with something of every kind, all of it marked by a word that nobody else may ever read. */
class Team {
  readonly word: string;
  readonly tokens = {} as Record<Scope, string>;
  readonly cookies = {} as Record<Scope, string>;
  /** Ids by the names that they have in addresses. */
  readonly ids: Record<string, string[]> = {};
  /** The addresses that it asked for, which its part of the audit shows again. */
  readonly asked = new Set<string>();
  /** All that it was told, by streams and by webhooks. */
  readonly heard: string[] = [];

  constructor(readonly name: string) {
    this.word = `secret-of-${name}`;
  }

  id(kind: string, at: number): string {
    const known = this.ids[kind] ?? [];
    return known[at % known.length] ?? 'nobody';
  }

  /** Whatever identifies something of it. */
  get marks(): string[] {
    return [this.word, ...Object.values(this.ids).flat()];
  }
}

/** Changes that would leave a team with nothing to attack are made to things of the other alone. */
const ENDS = /\/(cleanup|clean|sign-out|terminate|complete|fail)$/;

/** Two tenants of one daemon, and requests of the one that name things of the other. */
export class TenantScene implements AsyncDisposable {
  readonly #bench: RunBench;
  readonly #operations: Operation[];
  /** How many requests were carried out. */
  served = 0;
  readonly #closers: AsyncDisposable[] = [];
  readonly #clients = new Map<string, Client>();
  readonly teams: readonly [Team, Team] = [new Team('team-a'), new Team('team-b')];

  private constructor(bench: RunBench, operations: Operation[]) {
    this.#bench = bench;
    this.#operations = operations;
  }

  static async open(bench: RunBench): Promise<TenantScene> {
    const { body } = await bench.daemon.get('/openapi.json');
    const operations = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    );
    const scene = new TenantScene(bench, operations);
    for (const team of scene.teams) await scene.#settle(team);
    return scene;
  }

  /** What went wrong; null when nothing of the other was seen, and nothing of it could be named. */
  async run(who: 0 | 1, trial: TenantTrial): Promise<string | null> {
    const [self, other] = [this.teams[who], this.teams[1 - who] as Team];
    const at = trial.operation % (this.#operations.length + MCP_CALLS.length);
    const operation = this.#operations[at];
    if (!operation) return this.#callTool(self, other, at - this.#operations.length, trial);
    const { method } = operation;
    const named = (isOther: boolean) => (isOther ? other : self);
    const ends = method === 'DELETE' || ENDS.test(operation.path);
    if (ends && !operation.path.includes('{')) return null;
    const target = named(ends || trial.inPath);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, kind) => target.id(kind, trial.at));
    const isNamed =
      target === other && /\{(session|run|approval|webhook|delivery|token)_id\}/.test(operation.path);
    const query = queryOf(named(trial.inQuery), trial);
    const body = bodyOf(operation.path, named(trial.inBody), trial.at);
    // What waits for a person has no end to wait for.
    if (operation.path.includes('/ag-ui/') && target === self) return null;
    const { url } = this.#bench.daemon.daemon;
    const credentials = trial.byCookie
      ? { cookie: self.cookies[trial.scope], origin: url, 'x-amplifier-csrf': '1', authorization: '' }
      : { authorization: `Bearer ${self.tokens[trial.scope]}` };
    const answer = await this.#bench.daemon.call(method, path + query, method === 'GET' ? undefined : body, {
      headers: credentials,
    });
    self.asked.add(path);
    const audited = operation.path.endsWith('/audit') ? [...self.asked] : [];
    const request = JSON.stringify([path, query, body, audited]);
    const said = `${answer.text} ${answer.headers.get('location') ?? ''} ${answer.headers.get('link') ?? ''}`;
    const seen = other.marks.find((mark) => said.includes(mark) && !request.includes(mark));
    const what = `${self.name} (${trial.scope}) ${method} ${path}${query} ${JSON.stringify(body)}: ${answer.status}`;
    if (seen !== undefined) return `${what} shows ${seen}: ${said.slice(0, 400)}`;
    if (answer.status >= 500) return `${what} fails: ${said.slice(0, 400)}`;
    if (answer.status < 300) this.served++;
    if (isNamed && answer.status < 400) return `${what} is done`;
    return null;
  }

  /** All that a tenant has in the record, once what it began itself is over or waits. */
  async stateOf(team: Team): Promise<string> {
    for (let last = ''; ; ) {
      const now = await this.#stateNow(team);
      if (now === last) return now;
      last = now;
      // What is at work may take a while until it is seen to write, where the machine has much to do.
      const isBusy = /"status":"(queued|running)"/.test(now);
      await new Promise((resolve) => setTimeout(resolve, isBusy ? 1_500 : 150));
    }
  }

  async #stateNow({ name }: Team): Promise<string> {
    const { database, release } = await shareDatabase(this.#bench.daemon.record);
    const own = `FROM sessions s WHERE s.tenant = '${name}'`;
    const statements = [
      `SELECT s.session_id, s.name, s.status, s.message_count, s.event_count, s.deleted, s.parent_id ${own} ORDER BY s.n`,
      `SELECT m.id, m.body FROM mail m WHERE m.session IN (SELECT s.n ${own}) ORDER BY m.n`,
      `SELECT run_id, status, cancel_requested, payload FROM runs WHERE tenant = '${name}' ORDER BY seq`,
      `SELECT kind, name, body FROM shelf WHERE tenant = '${name}' AND kind IN ('token', 'webhook') ORDER BY kind, name`,
    ];
    try {
      const rows = await Promise.all(statements.map((sql) => database.read(() => all(sql), 'all')));
      return JSON.stringify(rows);
    } finally {
      await release();
    }
  }

  /** What a tenant was told by stream and webhook of the other; null when that is nothing. */
  overheard(who: 0 | 1): string | null {
    const other = this.teams[1 - who] as Team;
    for (const text of this.teams[who].heard) {
      const seen = other.marks.find((mark) => text.includes(mark));
      if (seen !== undefined) return `${this.teams[who].name} was told of ${seen}: ${text.slice(0, 400)}`;
    }
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients.values()) await client.close();
    for (const closer of this.#closers) await closer[Symbol.asyncDispose]();
  }

  async #settle(team: Team): Promise<void> {
    const { daemon } = this.#bench;
    const { port } = new URL(daemon.daemon.url);
    const tokens = new ScopedTokens(daemon.record);
    const token_id: string[] = [];
    for (const scope of SCOPES) {
      const made = await tokens.create({ scope, tenant: team.name, name: team.word }, systemClock);
      const browser = await tokens.create({ scope, tenant: team.name, kind: 'browser' }, systemClock);
      token_id.push(made.record.id, browser.record.id);
      team.tokens[scope] = made.token;
      team.cookies[scope] = `amplifier_${port}=${browser.token}`;
    }
    const headers = { authorization: `Bearer ${team.tokens.admin}` };
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await daemon.call(method, path, body, { headers });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
      return answer.body;
    };
    const receiver = await WebhookReceiver.start();
    this.#closers.push(receiver);
    const hook = await ask('POST', '/api/v1/webhooks', { url: receiver.url, description: team.word });
    receiver.secret = hook.secret;
    const events = await EventReader.open(`${daemon.daemon.url}/api/v1/events?deltas=true`, team.tokens.read);
    this.#closers.push(events);
    void (async () => {
      for (let frame = await events.next(); frame; frame = await events.next())
        team.heard.push(JSON.stringify(frame));
    })().catch(() => {});
    const session_id: string[] = [];
    const run_id: string[] = [];
    for (const instruction of [
      `!say ${team.word}`,
      script(call('write_file', { file_path: 'a.txt', content: team.word }), '!say Done.'),
    ]) {
      const session = await ask('POST', '/api/v1/sessions', {
        ...{ profile_id: 'local/worker', name: team.word, metadata: { word: team.word } },
      });
      session_id.push(session.session_id);
      const isAsking = instruction.includes('write_file');
      const run = await ask('POST', `/api/v1/sessions/${session.session_id}/runs`, {
        ...{ instruction, ...(isAsking ? {} : { wait: 60 }) },
      });
      run_id.push(run.run_id);
    }
    const { approval_id } = await this.#bench.approval(session_id[1] as string);
    await receiver.until((received) => received.length > 0);
    const [delivery] = await ask('GET', `/api/v1/webhooks/${hook.id}/deliveries`);
    Object.assign(team.ids, {
      ...{ session_id, run_id, token_id, approval_id: [approval_id] },
      ...{ webhook_id: [hook.id], delivery_id: [delivery.id] },
    });
    receiver.answer = () => {
      team.heard.push(JSON.stringify(receiver.received.at(-1)?.body ?? {}));
      return { status: 204 };
    };
  }

  async #callTool(self: Team, other: Team, at: number, trial: TenantTrial): Promise<string | null> {
    const make = MCP_CALLS[at] as (team: Team, at: number) => { name: string; arguments: object };
    const request = make(trial.inBody ? other : self, trial.at);
    const client = this.#clients.get(self.name) ?? (await this.#connect(self));
    this.#clients.set(self.name, client);
    const answer = JSON.stringify(
      await client.callTool(request as never).catch((error: Error) => error.message),
    );
    const asked = JSON.stringify(request);
    const seen = other.marks.find((mark) => answer.includes(mark) && !asked.includes(mark));
    return seen === undefined ? null : `${self.name} MCP ${asked} shows ${seen}: ${answer.slice(0, 400)}`;
  }

  async #connect(team: Team): Promise<Client> {
    const client = new Client(
      { name: 'trials', version: '1.0.0' },
      { versionNegotiation: { mode: 'legacy' } },
    );
    const url = new URL(`${this.#bench.daemon.daemon.url}/mcp`);
    const headers = { authorization: `Bearer ${team.tokens.run}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
  }
}

/** As if the tenant's tokens had each used so many more today. */
export async function spend(bench: RunBench, tenant: string, tokens: number): Promise<void> {
  const { database, release } = await shareDatabase(bench.daemon.record);
  const changed = await database.write(() =>
    run('UPDATE spent SET tokens = tokens + ? WHERE tenant = ?', tokens, tenant),
  );
  await release();
  // What was really used was counted.
  if (changed === 0) throw new Error(`Nothing was counted for ${tenant}.`);
}

const MCP_CALLS = [
  () => ({ name: 'list_sessions', arguments: {} }),
  (team: Team, at: number) => ({
    name: 'show_session',
    arguments: { session_id: team.id('session_id', at) },
  }),
  (team: Team, at: number) => ({
    name: 'delegate',
    arguments: { session_id: team.id('session_id', at), prompt: 'Repeat all you know.', cli: 'self' },
  }),
  () => ({ name: 'list_jobs', arguments: {} }),
  (team: Team, at: number) => ({ name: 'show_job', arguments: { job_id: team.id('run_id', at) } }),
  () => ({ name: 'list_proposals', arguments: {} }),
];

function queryOf(team: Team, { at }: TenantTrial): string {
  const id = team.id('session_id', at);
  const queries = [
    '',
    `?q=${team.word}&root_id=${id}&parent_session_id=${id}&limit=100`,
    `?after=0&root_id=${id}&limit=1000`,
    '?after=0&limit=1000&children=true',
    `?cursor=${id}`,
    `?cursor=100000&status=completed`,
  ];
  return queries[at % queries.length] as string;
}

/** A body that the operation takes, with ids of the team where it names any. */
function bodyOf(path: string, team: Team, at: number): object {
  const id = team.id('session_id', at);
  const run_id = team.id('run_id', at);
  const isGiven = at % 2 === 0;
  if (path.endsWith('/runs')) return { instruction: '!say Well.', ...(isGiven ? { run_id } : {}) };
  if (path.endsWith('/delegate'))
    return { instruction: '!say Well.', agent: 'scout', ...(isGiven ? { session_id: id } : {}) };
  if (path.endsWith('/dry-run')) return { instruction: '!say Well.', agent: 'scout' };
  if (path.endsWith('/messages')) return { role: 'user', content: 'Well.' };
  if (path.endsWith('/answer')) return { approved: false };
  if (path.endsWith('/steer')) return { text: 'Well.' };
  if (path.endsWith('/fork')) return isGiven ? { session_id: id } : {};
  if (path.endsWith('/sessions') || path.endsWith('/generate'))
    return { profile_id: 'local/worker', ...(isGiven ? { parent_session_id: id } : { session_id: id }) };
  if (path.endsWith('/sub-session')) return { agent_overlay: {} };
  if (path.endsWith('/tokens')) return { scope: 'read', tenant: team.name };
  if (path.endsWith('/webhooks')) return { url: 'http://127.0.0.1:9/' };
  if (path.includes('/ag-ui/'))
    return { threadId: id, runId: run_id, messages: [{ role: 'user', content: '!say Well.' }] };
  return isGiven ? {} : { name: 'changed', session_id: id };
}
