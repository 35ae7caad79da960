// What the loop adds to a turn: the same scripted model called directly is the floor.
import { type ChatRequest, ModuleLoader, Session, type Tool, toolSuccess } from '@amplifier/core';
import { builtinModules } from '@amplifier/modules';
import { ScriptedProvider, scriptedProviderModule } from '@amplifier/testkit';
import { isSmoke, measure, printTable } from './lib/measure.js';

const CALLS = 10;
const DELTAS = isSmoke ? 5_000 : 100_000;
const REQUEST: ChatRequest = { messages: [{ role: 'user', content: 'Go' }] };

const echo: Tool = {
  name: 'echo',
  description: 'Answers at once.',
  inputSchema: { type: 'object' },
  execute: async () => toolSuccess('ok'),
};

/** One model call, or one that calls tools and one that answers. */
function model(calls: number): ScriptedProvider {
  const tool_calls = Array.from({ length: calls }, (_, index) => ({ id: `c${index}`, name: 'echo' }));
  const provider = new ScriptedProvider((request) =>
    calls > 0 && request.messages.at(-1)?.role !== 'tool' ? { tool_calls } : { text: 'Done.' },
  );
  // The testkit's memory of requests would be part of every measurement.
  provider.requests.push = () => 1;
  return provider;
}

async function session(provider: ScriptedProvider, loop: string): Promise<Session> {
  const made = new Session({
    loader: new ModuleLoader({
      builtins: { ...builtinModules, 'provider-scripted': () => scriptedProviderModule(provider) },
    }),
    plan: { session: { orchestrator: loop, context: 'context-simple' }, providers: ['provider-scripted'] },
  });
  await made.initialize();
  made.coordinator.mounts.mount('tools', echo);
  return made;
}

async function turn(made: Session): Promise<void> {
  await made.coordinator.mounts.one('context')?.clear();
  await made.execute('Go');
}

const direct = model(0);
const basic = await session(model(0), 'loop-basic');
const streaming = await session(model(0), 'loop-streaming');
const watched = await session(model(0), 'loop-streaming');
watched.coordinator.hooks.observe(() => {});
printTable(
  'One turn without tools (floor: the same provider called directly)',
  await measure([
    { name: 'provider.complete', run: () => direct.complete(REQUEST) },
    { name: 'loop-basic', run: () => turn(basic) },
    { name: 'loop-streaming', run: () => turn(streaming) },
    { name: 'loop-streaming, one observer', run: () => turn(watched) },
  ]),
);

const many = model(CALLS);
const tooled = await session(model(CALLS), 'loop-streaming');
const toolless = await session(model(0), 'loop-streaming');
const afterTools: ChatRequest = {
  messages: [...REQUEST.messages, { role: 'tool', tool_call_id: 'c0', content: 'ok' }],
};
const rows = await measure([
  {
    name: `provider twice and ${CALLS} bare tool calls`,
    run: async () => {
      await many.complete(REQUEST);
      await Promise.all(Array.from({ length: CALLS }, () => echo.execute({}, undefined as never)));
      await many.complete(afterTools);
    },
  },
  { name: `loop-streaming, ${CALLS} tool calls in parallel`, run: () => turn(tooled) },
  { name: 'loop-streaming, no tool call', run: () => turn(toolless) },
]);
printTable(`One turn with ${CALLS} tool calls (floor: the same calls by hand)`, rows);
const [, withTools, without] = rows;
if (withTools && without) {
  const perCall = (withTools.p50 - without.p50) / CALLS;
  console.log(
    `  the loop takes ${perCall.toFixed(1)} µs per tool call, its share of the second model call included`,
  );
}

/** A model that says one long thing in very many pieces. */
function talkative(): ScriptedProvider {
  const provider = model(0);
  provider.complete = async (_request, options) => {
    for (let index = 0; index < DELTAS; index++)
      options?.onDelta?.({ type: 'text', index: 0, text: 'word ' });
    return { content: [{ type: 'text', text: 'word' }], finish_reason: 'stop' };
  };
  return provider;
}

const bare = talkative();
const silent = await session(talkative(), 'loop-streaming');
const heard = await session(talkative(), 'loop-streaming');
let seen = 0;
heard.coordinator.hooks.observe((event) => {
  if (event === 'content_block:delta') seen++;
});
const handled = await session(talkative(), 'loop-streaming');
handled.coordinator.hooks.register('content_block:delta', () => null);
const streams = await measure(
  [
    { name: 'provider, deltas counted', run: () => bare.complete(REQUEST, { onDelta: () => {} }) },
    { name: 'loop-streaming, nobody listens', run: () => turn(silent) },
    { name: 'loop-streaming, one observer', run: () => turn(heard) },
    { name: 'loop-streaming, one handler', run: () => turn(handled) },
  ],
  { batches: 5, perBatch: 1 },
);
printTable(`Streaming ${DELTAS.toLocaleString('en')} deltas`, streams);
for (const { name, p50 } of streams) {
  console.log(`  ${name}: ${((p50 * 1000) / DELTAS).toFixed(0)} ns per delta`);
}
if (seen % DELTAS !== 0 || seen === 0) throw new Error(`The observer saw ${seen} deltas.`);
