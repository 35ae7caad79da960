// A process that does what it is told: one JSON command per line on stdin, one JSON reply per line on stdout.
import { createInterface } from 'node:readline';
import { openDatabase, openRunQueue, openSessionStore } from '@amplifier/sessions';

const [folder] = process.argv.slice(2);
let store;
let queue;
const logs = new Map();
const claims = new Map();

const commands = {
  async create({ session, contents }) {
    const log = await store.create(session, contents);
    logs.set(log.session_id, log);
    return log.session_id;
  },
  async open({ id, lease }) {
    const log = await store.open(id, lease === undefined ? {} : { lease });
    logs.set(id, log);
    return log.metadata.message_count;
  },
  append: ({ id, text }) => logs.get(id).appendMessages([{ role: 'user', content: text }]),
  async fill({ id, bytes }) {
    for (;;) await logs.get(id).appendMessages([{ role: 'user', content: 'x'.repeat(bytes) }]);
  },
  async backup({ path }) {
    const database = await openDatabase(`${folder}/record.db`);
    await database.backup(path).finally(() => database.close());
  },
  send: ({ item }) => store.send(item),
  async nextMail({ id }) {
    for await (const item of logs.get(id).mail()) {
      await logs.get(id).deliver(item);
      return item;
    }
  },
  enqueue: ({ run }) => queue.enqueue(run),
  async claim() {
    for await (const claim of queue.claims()) {
      claims.set(claim.run.run_id, claim);
      return claim;
    }
  },
  finish: ({ run_id, result }) => queue.finish(claims.get(run_id), result),
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  try {
    store ??= await openSessionStore(`${folder}/record.db`);
    queue ??= await openRunQueue(`${folder}/record.db`);
    reply({ value: (await commands[command.op](command)) ?? null });
  } catch (error) {
    reply({ error: { code: error.code, message: error.message } });
  }
}
await store?.close();
await queue?.close();

function reply(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
