// What our engine adds to an external agent, beside the protocol's own SDK client on the same agent: from spawn to first answer,
// a prompt to a warm agent, and a prompt with 100 updates.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { client, ndJsonStream } from '@agentclientprotocol/sdk';
import { AcpEngine, acpAgents, buildRoster } from '@amplifier/acp';
import { ModuleLoader, NO_USAGE } from '@amplifier/core';
import { Budget, Delegator, Limits, StopSwitch, type Turn } from '@amplifier/delegation';
import { openSessionStore } from '@amplifier/sessions';
import { chaosAgentCommand } from '@amplifier/testkit';
import { NoSandbox } from '@amplifier/workspace';
import { isSmoke } from './lib/measure.js';

const ANSWER = '!say Done.';
const UPDATES = '!updates 100';
const folder = await mkdtemp(join(tmpdir(), 'amplifier-bench-'));
const cwd = join(folder, 'work');
await mkdir(cwd);
const store = await openSessionStore(join(folder, 'record.db'));
const env = { PATH: process.env.PATH ?? '', HOME: folder };
const command = chaosAgentCommand();
const roster = buildRoster({ agents: { chaos: { command } } });
const shared = {
  store,
  roster,
  isolationHome: join(folder, 'trees'),
  env,
  sandbox: new NoSandbox('None here.'),
};
const cold = new AcpEngine({ ...shared, pool: { size: 0, idle_ms: 1 } });
const warm = new AcpEngine({ ...shared, pool: { size: 1, idle_ms: 600_000 } });

/** The floor: a process, the SDK's client, and nothing else. */
async function bareAgent() {
  const [program, ...args] = command;
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  let text = '';
  const connection = client({ name: 'bench' })
    .onNotification('session/update', ({ params }) => {
      if (params.update.sessionUpdate === 'agent_message_chunk' && params.update.content.type === 'text')
        text += params.update.content.text;
    })
    .connect(stream);
  const { agent } = connection;
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const open = async () => (await agent.request('session/new', { cwd, mcpServers: [] })).sessionId;
  return {
    open,
    prompt: async (sessionId: string, words: string) => {
      text = '';
      await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: words }] });
      if (text === '') throw new Error('The agent said nothing.');
    },
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      await gone;
    },
  };
}

/** A turn of a session that is on disk already: what the engine does with it is all that is timed. */
async function turnFor(instruction: string): Promise<Turn> {
  const log = await store.create(
    { working_dir: cwd },
    { messages: [{ role: 'user', content: instruction }] },
  );
  const limits = Limits.parse({});
  const { launch } = await template;
  return {
    launch: { ...launch, session_id: log.session_id },
    number: 1,
    instruction,
    carried: NO_USAGE,
    warnings: [],
    attached: [],
    log,
    budget: new Budget(limits),
    slot: null,
    cancellation: new StopSwitch(),
    observe: null,
    plan: launch.plan,
  } as unknown as Turn;
}

const template = new Delegator({
  store,
  loader: new ModuleLoader({ builtins: {} }),
  agents: acpAgents(roster),
  engines: { acp: cold },
}).start({
  plan: { session: { orchestrator: 'none', context: 'none' } },
  agent: 'acp:chaos',
  instruction: ANSWER,
  cwd,
  trusted: false,
  safety_mode: 'read_only',
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - started) / 1e6;
}

async function ours(engine: AcpEngine, words: string): Promise<number> {
  const turn = await turnFor(words);
  const time = await timed(async () => {
    const outcome = await engine.run(turn);
    if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
  });
  await turn.log.close();
  return time;
}

const rows: Record<string, number[]> = {};
const note = (name: string, ms: number) => {
  rows[name] ??= [];
  rows[name].push(ms);
};

for (let round = 0; round < (isSmoke ? 1 : 15); round++) {
  let agent: Awaited<ReturnType<typeof bareAgent>> | undefined;
  note(
    'spawn to answer: bare SDK',
    await timed(async () => {
      agent = await bareAgent();
      await agent.prompt(await agent.open(), ANSWER);
      await agent.close();
    }),
  );
  note('spawn to answer: ours', await ours(cold, ANSWER));
}
const bare = await bareAgent();
const session = await bare.open();
for (let round = 0; round < (isSmoke ? 3 : 200); round++) {
  note('prompt: bare SDK', await timed(() => bare.prompt(session, ANSWER)));
  note('new session and prompt: bare SDK', await timed(async () => bare.prompt(await bare.open(), ANSWER)));
  note('delegation to a warm agent: ours', await ours(warm, ANSWER));
  note('100 updates: bare SDK', await timed(() => bare.prompt(session, UPDATES)));
  note('100 updates, warm agent: ours', await ours(warm, UPDATES));
  note('one durable append (for scale)', await durableAppend());
}

async function durableAppend(): Promise<number> {
  const log = await store.create({ working_dir: cwd });
  const time = await timed(() => log.appendEvents([{ name: 'bench', data: {} }]));
  await log.close();
  return time;
}

console.log('\nExternal agents (the chaos agent, no sandbox)');
for (const [name, times] of Object.entries(rows)) {
  const sorted = times.slice(isSmoke ? 0 : Math.floor(times.length / 10)).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(2).padStart(10);
  console.log(`  ${name.padEnd(38)} p10 ${at(0.1)} ms   p50 ${at(0.5)} ms   p95 ${at(0.95)} ms`);
}
const quantile = (name: string, share: number) =>
  rows[name]?.toSorted((a, b) => a - b)[Math.floor((rows[name]?.length ?? 0) * share)] ?? 0;
const ratio = quantile('spawn to answer: ours', 0.5) / quantile('spawn to answer: bare SDK', 0.5);
const over = (share: number) =>
  (quantile('delegation to a warm agent: ours', share) - quantile('prompt: bare SDK', share)).toFixed(2);
console.log(`\n  spawn to answer: ${ratio.toFixed(2)} of the bare SDK (at most 1.2)`);
// The tenth part of the rounds in which nothing else on the machine was in the way says most about us.
console.log(
  `  warm delegation over the bare prompt: ${over(0.1)} ms in quiet rounds, ${over(0.5)} ms in the median (at most 1 ms)`,
);

await bare.close();
await warm.close();
await cold.close();
await store.close();
await rm(folder, { recursive: true, force: true });
