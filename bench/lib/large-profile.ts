import { mkdir, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { derivePlan, profilePlan } from '../../packages/daemon/src/plans/build-plan.js';
import { renderPlan } from '../../packages/daemon/src/plans/render-plan.js';
import { ProfileStore } from '../../packages/daemon/src/profiles/profile-store.js';
import type { DaemonProcess } from '../../packages/daemon/test-support/daemon-process.js';
import { type Call, type Load, load, send, sendForBytes, warmUp } from './http-load.js';
import { isSmoke, measure } from './measure.js';

const WARM = isSmoke ? 8 : 200;
const ROUNDS = isSmoke ? 1 : 5;
const MS = isSmoke ? 30 : 1_000;

/** 20 agents, 200 context files, 2 MB of text. */
export async function writeLargeProfile(home: string): Promise<void> {
  const local = join(home, 'share/local');
  const agents = Array.from({ length: 20 }, (_, at) => `agent-${at}`);
  await mkdir(join(local, 'large/context'), { recursive: true });
  for (const name of agents) {
    await writeFile(
      join(local, `large/${name}.md`),
      `---\nmeta: { name: ${name}, description: Helps }\n---\n${'You help with this. '.repeat(100)}\n`,
    );
  }
  for (let at = 0; at < 200; at++)
    await writeFile(
      join(local, `large/context/file-${at}.md`),
      `# File ${at}\n${'Some words about it.\n'.repeat(490)}`,
    );
  const refs = agents.map((name) => `  ${name}: ./large/${name}.md`).join('\n');
  await writeFile(
    join(local, 'large.md'),
    `---\nprofile: { name: large, version: 0.1.0, schema_version: 2 }\nsession: { orchestrator: loop-basic, context: context-simple }\nagents:\n${refs}\ncontext: { all: ./large/context }\n---\nBody.\n`,
  );
}

/**
 * Plans of the large profile over HTTP, one client. The seed's targets are about the server, which is the first column: from
 * the headers of the request to those of the answer, as its own figures say. The client also waits for the bytes, and how long
 * those alone take is said by a bare server of Node's that has nothing else to do.
 */
export async function measureLargeProfile(daemon: DaemonProcess, bare: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  const generate = (more: object, status: number): Call => ({
    method: 'POST',
    path: '/api/v1/mount-plans/generate',
    headers,
    body: JSON.stringify({ profile_id: 'local/large', ...more }),
    status,
  });
  const { session } = JSON.parse(await send(daemon.url, generate({}, 201), agent));
  const path = `/api/v1/mount-plans/${session.session_id}`;
  const get = (query: string, more = {}, status = 200): Call => ({
    method: 'GET',
    path: `${path}${query}`,
    headers: { ...headers, ...more },
    status,
  });
  const rows: [name: string, call: Call][] = [
    ['generate (ours 5)', generate({ dry_run: true }, 200)],
    ['generate and store (seed 100)', generate({}, 201)],
    ['retrieve, all views (ours 1, seed 10)', get('')],
    ['retrieve, flat view', get('?view=flat')],
    ['retrieve, all views, gzip', get('', { 'accept-encoding': 'gzip' })],
    ['retrieve, not modified', get('', { 'if-none-match': '*' }, 304)],
  ];
  console.log('\nA profile with 20 agents, 200 context files and 2 MB, one client, ms in the median');
  const columns = ['server', 'first byte', 'of bare', 'all bytes', 'of bare', 'ratio', 'MB'];
  console.log(`  ${''.padEnd(40)}${columns.map((each) => each.padStart(11)).join('')}`);
  for (const [name, call] of rows) {
    const { length: bytes } = await sendForBytes(daemon.url, call, agent);
    const floor: Call = { method: call.method, path: `/${bytes}`, ...(call.body ? { body: call.body } : {}) };
    await warmUp(daemon.url, call, call.path.endsWith('generate') ? WARM / 4 : WARM);
    await warmUp(bare, floor, WARM);
    const rounds: { ours: Load; bare: Load; server_ms: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = await served(daemon, call, agent);
      const ours = await load(daemon.url, call, { connections: 1, ms: MS });
      const after = await served(daemon, call, agent);
      const server_ms = ((after.seconds - before.seconds) * 1_000) / (after.count - before.count);
      rounds.push({ ours, server_ms, bare: await load(bare, floor, { connections: 1, ms: MS }) });
    }
    const middle = (of: (round: (typeof rounds)[number]) => number) =>
      rounds.map(of).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? Number.NaN;
    const figures = [
      middle(({ server_ms }) => server_ms),
      middle(({ ours }) => ours.first_ms),
      middle((round) => round.bare.first_ms),
      middle(({ ours }) => ours.p50_ms),
      middle((round) => round.bare.p50_ms),
      middle((round) => round.bare.p50_ms / round.ours.p50_ms),
      bytes / 1e6,
    ];
    console.log(`  ${name.padEnd(40)}${figures.map((each) => each.toFixed(2).padStart(11)).join('')}`);
  }
  agent.destroy();
  const inside = await measureInside(daemon.home);
  console.log(
    `  without HTTP: generate ${inside.generate.toFixed(3)} ms, render ${inside.render.toFixed(3)} ms`,
  );
}

/** How many requests of this kind the daemon has answered, and how long that took it. */
async function served(
  daemon: DaemonProcess,
  { method, path }: Call,
  agent: Agent,
): Promise<{ count: number; seconds: number }> {
  const route = path.endsWith('generate')
    ? '/api/v1/mount-plans/generate'
    : '/api/v1/mount-plans/{session_id}';
  const headers = { authorization: `Bearer ${daemon.token}` };
  const text = await send(daemon.url, { method: 'GET', path: '/metrics', headers }, agent);
  const read = (name: string) => {
    const series = `amplifierd_http_request_duration_seconds_${name}{method="${method}",route="${route}"} `;
    const line = text.split('\n').find((each) => each.startsWith(series));
    return Number(line?.slice(series.length) ?? 0);
  };
  return { count: read('count'), seconds: read('sum') };
}

/** What generating costs without HTTP and without a client that reads megabytes. */
async function measureInside(home: string): Promise<{ generate: number; render: number }> {
  const profiles = new ProfileStore(join(home, 'share'));
  const request = {
    session_id: 's',
    parent_session_id: null,
    created_at: '',
    settings: { llm: { model: 'x' } },
    overlay: {},
  };
  const id = { collection: 'local', profile: 'large' };
  const build = async () => derivePlan(profilePlan(await profiles.load(id)), request);
  const generate = async () => renderPlan(await build(), 'full');
  const plan = await build();
  const [whole, render] = await measure(
    [
      { name: 'generate', run: generate },
      { name: 'render', run: () => renderPlan(plan, 'full') },
    ],
    { batches: 20, perBatch: 5 },
  );
  return { generate: (whole?.p50 ?? Number.NaN) / 1_000, render: (render?.p50 ?? Number.NaN) / 1_000 };
}
