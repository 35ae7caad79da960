// Does one thing to a session from a process of its own: node control-process.mjs <sessions> <queue> <method> <json args>
import { ModuleLoader } from '@amplifier/core';
import { Delegator } from '@amplifier/delegation';
import { FileRunQueue, FileSessionStore } from '@amplifier/sessions';

const [sessions, runs, method, args] = process.argv.slice(2);
const store = await FileSessionStore.open({ folder: sessions });
const queue = await FileRunQueue.open({ folder: runs });
const delegator = new Delegator({
  store,
  queue,
  loader: new ModuleLoader({ builtins: {} }),
  runInBackground() {},
});
try {
  const result = await delegator.control[method](...JSON.parse(args));
  process.stdout.write(JSON.stringify({ result: result ?? null }));
} catch (error) {
  process.stdout.write(JSON.stringify({ error: { code: error.code, message: error.message } }));
}
await queue.close();
await store.close();
