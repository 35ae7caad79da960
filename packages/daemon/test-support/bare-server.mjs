// The floor: the same HTTP library with bare routes. What needs the disk does the same writes on the same kind of store.

import { openSessionStore } from '@amplifier/sessions';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const [folder, sample] = process.argv.slice(2);
const { session, list, plan } = JSON.parse(sample);
const store = await openSessionStore(`${folder}/record.db`);
const app = new Hono();
let active;

app.get('/session', (c) => c.json(session));
app.get('/list', (c) => c.json(list));
app.get('/plan', (c) => c.json(plan));
app.post('/create', async (c) => {
  const { name } = await c.req.json();
  const log = await store.create(
    { name, profile_name: 'foundation/base' },
    { documents: { mount_plan: plan } },
  );
  void log.close();
  return c.json(log.metadata, 201);
});
app.post('/append', async (c) => {
  active ??= startSession();
  const [line] = await (await active).appendMessages([await c.req.json()]);
  return c.json(line, 201);
});
async function startSession() {
  const log = await store.create();
  await log.transition('active');
  return log;
}

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
