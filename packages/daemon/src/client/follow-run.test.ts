import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { DaemonProcess } from '../../test-support/daemon-process.js';
import { LooseConnection } from '../../test-support/loose-connection.js';
import { call, delegate, runProfile, script } from '../../test-support/run-profile.js';
import { type ApiEvent, createClient } from './index.js';

const write = call('write_file', { file_path: 'c.txt', content: 'x' });

it.each([
  ['as long as it lives', false],
  ['also when it is killed while a child waits for approval', true],
])(
  'a run with two children and a question is followed to its end without gap or repeat, %s',
  async (_, kill) => {
    await using workspace = await TempWorkspace.create({ 'work/notes.md': 'Some notes.' });
    await using model = await FakeModelServer.start();
    const home = workspace.resolve('home');
    const environment = { RUN_TEST_KEY: 'sk-run-test', AMPLIFIERD_RUNS: '{ on_restart: continue }' };
    let daemon = await DaemonProcess.start(home, environment);
    await using connection = await LooseConnection.open(() => daemon.url);
    const client = createClient({ url: connection.url, token: daemon.token });
    const stop = new AbortController();
    try {
      await client.POST('/api/v1/profiles', { body: { name: 'worker', manifest: runProfile(model.url) } });
      const made = await client.POST('/api/v1/sessions', {
        body: { profile_id: 'local/worker', working_dir: workspace.resolve('work') },
      });
      const session_id = made.data?.session_id ?? '';
      const look = delegate({ agent: 'scout', instruction: '!say Seen.' });
      const ask = delegate({ agent: 'scribe', instruction: script(write, write, '!say Written.') });
      const started = await client.POST('/api/v1/sessions/{session_id}/runs', {
        params: { path: { session_id }, header: { 'Idempotency-Key': 'the-run' } },
        body: { instruction: script([look, ask], '!say Both.', '!say Both.') },
      });
      expect(started.response.status).toBe(202);

      const got: ApiEvent[] = [];
      let kills = 0;
      for await (const event of client.followEvents({ session_id, children: true, signal: stop.signal })) {
        got.push(event);
        if (event.name === 'run:ended') break;
        if (event.name !== 'question:asked') continue;
        if (kill && kills++ === 0) {
          await daemon.kill();
          daemon = await DaemonProcess.start(home, environment);
        }
        const path = { session_id: event.session_id, approval_id: String(event.data.id) };
        const answered = await client.POST('/api/v1/sessions/{session_id}/approvals/{approval_id}/answer', {
          params: { path },
          body: { approved: true },
        });
        expect(answered.error).toBeUndefined();
      }

      const run = await client.GET('/api/v1/runs/{run_id}', {
        params: { path: { run_id: started.data?.run_id ?? '' } },
      });
      expect(run.data).toMatchObject({ status: 'completed', outcome: { text: 'Both.' } });
      const ids = [...new Set(got.map((event) => event.session_id))];
      expect(ids).toHaveLength(3);
      for (const id of ids) {
        const events = got.filter((event) => event.session_id === id);
        const stored = await client.GET('/api/v1/sessions/{session_id}/events', {
          params: { path: { session_id: id }, query: { limit: 1_000 } },
        });
        // Events of runs have no seq.
        const all = stored.data?.map((event) => event.id) ?? [];
        const followed = events.map((event) => event.id);
        expect(followed).toEqual(all.slice(0, all.indexOf(followed.at(-1) ?? '') + 1));
      }
    } finally {
      stop.abort();
      await daemon.kill();
    }
  },
);
