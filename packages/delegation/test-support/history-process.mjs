// Loads the history of one long session for many turns at once, under the heap limit of this process: node history-process.mjs <folder> <turns>.
// The last line is DONE.
import { CancellationToken, systemClock } from '@amplifier/core';
import { openSessionStore } from '@amplifier/sessions';
import { loadHistory } from '../dist/engine/load-history.js';

const [folder, turns] = process.argv.slice(2);
const store = await openSessionStore(`${folder}/record.db`);
const log = await store.create({});
for (let message = 0; message < 8; message++)
  await log.appendMessages([{ role: 'user', content: 'x'.repeat(900_000) }]);
await log.appendMessages([{ role: 'user', content: 'The prompt.' }]);
const { metadata } = log;

async function turn() {
  const history = await loadHistory(store, metadata, new CancellationToken(), systemClock);
  // A turn holds its history while the model answers.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  if (history.messages.length !== 8) throw new Error(`${history.messages.length} messages were loaded.`);
  history.release();
}

await Promise.all(Array.from({ length: Number(turns) }, turn));
await log.close();
await store.close();
process.stdout.write('DONE\n');
