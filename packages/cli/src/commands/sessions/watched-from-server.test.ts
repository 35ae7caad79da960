import { startDaemon } from '@amplifier/daemon';
import { createClient, LiveMessages } from '@amplifier/daemon/client';
import { FakeModelServer } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const STORY = 'Once upon a time';

it('a run in a terminal is read along, told something and cancelled over REST while it works', async () => {
  await using server = await FakeModelServer.start();
  await using box = await CliSandbox.create();
  await using daemon = await startDaemon({
    users: true,
    cwd: box.folder.path,
    environment: box.env,
    flags: { port: 0, log_level: 'silent' },
  });
  const client = createClient(daemon);
  const args = ['run', '--provider', 'openai-compatible', '--model', 'fake-1', `!say ${STORY}\n!hang midway`];
  const ended = box.run(args, { env: { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` } });
  const live = new LiveMessages();
  const stop = new AbortController();
  let session_id = '';
  for await (const item of client.followLive({ after: '0', signal: stop.signal })) {
    live.take(item);
    const open = live.all().find(({ text }) => text === STORY);
    if (!open) continue;
    session_id = open.session_id;
    break;
  }
  stop.abort();
  const path = { session_id };
  const tree = await client.GET('/api/v1/sessions/{session_id}/tree', { params: { path } });
  expect(tree.data?.root).toMatchObject({ status: 'active', interrupted: false, outcome_status: null });
  const told = await client.POST('/api/v1/sessions/{session_id}/steer', {
    params: { path },
    body: { text: 'Make it short.' },
  });
  expect(told.data).toMatchObject({ is_running: true });
  const cancelled = await client.POST('/api/v1/sessions/{session_id}/cancel', { params: { path }, body: {} });
  expect(cancelled.data?.session_ids).toEqual([session_id]);
  expect((await ended).code).toBe(130);
  const after = await client.GET('/api/v1/sessions/{session_id}/tree', { params: { path } });
  expect(after.data?.root).toMatchObject({ status: 'terminated', outcome_status: 'cancelled' });
});
