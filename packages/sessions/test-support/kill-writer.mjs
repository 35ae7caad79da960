// Writes to random sessions until it is killed. Each line on stdout is an append that was acknowledged before.
import { hasCode, openSessionStore } from '@amplifier/sessions';
import { seededRandom } from '@amplifier/testkit';

const [file, name, sessions, seed, leaseMs] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const store = await openSessionStore(file, leaseMs ? { leaseMs: Number(leaseMs) } : {});
let count = 0;

for (;;) {
  const session_id = `s-${Math.floor(random() * Number(sessions))}`;
  const log = await take(session_id);
  if (!log) continue;
  for (let round = Math.floor(random() * 6); round >= 0; round--) {
    const size = random() < 0.2 ? Math.floor(random() * 40_000) : Math.floor(random() * 400);
    const batch = Array.from({ length: 1 + Math.floor(random() * 4) }, () => `${name}.${count++}`);
    const appends = batch.map((id) =>
      log.appendMessages([{ role: 'user', content: `${id} ${'x'.repeat(size)}` }]),
    );
    appends.push(log.appendEvents([{ name: 'tick', data: { pad: 'y'.repeat(size) } }]));
    const settled = await Promise.allSettled(appends);
    for (const [at, id] of batch.entries())
      if (settled[at].status === 'fulfilled') process.stdout.write(`${session_id} ${id}\n`);
    const failed = settled.find(({ status }) => status === 'rejected');
    // It was stopped for longer than its lease, and somebody else has the session now.
    if (failed && leaseMs && hasCode(failed.reason, 'FENCED')) break;
    if (failed) throw failed.reason;
  }
  await log.close();
}

async function take(session_id) {
  try {
    return (await store.has(session_id)) ? await store.open(session_id) : await store.create({ session_id });
  } catch (error) {
    if (hasCode(error, 'SESSION_LOCKED') || hasCode(error, 'SESSION_EXISTS')) return null;
    throw error;
  }
}
