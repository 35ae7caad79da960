// Does one thing to a session from a process of its own: node control-process.mjs <sessions> <queue> <method> <json args>
import { ModuleLoader } from '@amplifier/core';
import { Delegator } from '@amplifier/delegation';
import { openRunQueue, openSessionStore } from '@amplifier/sessions';

const [sessions, runs, method, args] = process.argv.slice(2);
const store = await openSessionStore(`${sessions}/record.db`);
const queue = await openRunQueue(`${runs}/record.db`);
const delegator = new Delegator({
  store,
  queue,
  loader: new ModuleLoader({ builtins: {} }),
});
try {
  const result = await delegator.control[method](...JSON.parse(args));
  process.stdout.write(JSON.stringify({ result: result ?? null }));
} catch (error) {
  process.stdout.write(JSON.stringify({ error: { code: error.code, message: error.message } }));
}
await queue.close();
await store.close();
