import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { DaemonProcess } from '../../test-support/daemon-process.js';
import { goalModel, instructionOf } from '../../test-support/goal-model.js';
import { killRuns } from '../../test-support/kill-runs.js';
import { runProfile } from '../../test-support/run-profile.js';

it('a daemon killed at random moments while sessions work loses nothing and does nothing twice', async () => {
  await using workspace = await TempWorkspace.create();
  const { runs } = await killRuns({ folder: workspace.path, kills: 2, seed: 7 });
  expect(runs).toBeGreaterThan(0);
}, 120_000);

it.each([false, true])(
  'a run with two children and approvals completes, daemon killed in the middle: %s',
  async (isKilled) => {
    await using workspace = await TempWorkspace.create({ 'work/notes.md': '' });
    await using model = await FakeModelServer.start({ script: goalModel });
    const environment = { RUN_TEST_KEY: 'sk-run-test', AMPLIFIERD_RUNS: '{ on_restart: continue }' };
    let daemon = await DaemonProcess.start(workspace.resolve('home'), environment);
    try {
      const post = async (path: string, json: object) => {
        const answer = await daemon.fetch(path, { method: 'POST', json });
        return { status: answer.status, body: JSON.parse(await answer.text()) };
      };
      // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test looks at
      const get = async (path: string) => (await daemon.fetch(path)).json() as Promise<any>;
      await post('/api/v1/profiles', { name: 'worker', manifest: runProfile(model.url) });
      const working_dir = workspace.resolve('work');
      const { session_id: id } = (await post('/api/v1/sessions', { profile_id: 'local/worker', working_dir }))
        .body;
      const task = {
        name: 'root',
        children: [
          { name: 'quick', files: [] },
          { name: 'slow', files: ['slow.txt'] },
        ],
        files: ['root.txt'],
      };
      const { body } = await post(`/api/v1/sessions/${id}/runs`, { instruction: instructionOf(task) });
      const pending = async (agent: string | null) => {
        for (;;) {
          const found = (await get(`/api/v1/sessions/${id}/approvals?status=pending`)).find(
            (each: { agent: string | null }) => each.agent === agent,
          );
          if (found) return found;
        }
      };
      const first = await pending('scribe');
      if (isKilled) {
        await daemon.kill();
        daemon = await DaemonProcess.start(workspace.resolve('home'), environment);
      }
      const path = `/api/v1/sessions/${id}/approvals/${first.approval_id}/answer`;
      expect((await post(path, { approved: true })).status).toBe(200);
      expect((await post(path, { approved: true })).status).toBe(409);
      const second = await pending(null);
      await post(`/api/v1/sessions/${id}/approvals/${second.approval_id}/answer`, { approved: true });
      const run = await get(`/api/v1/sessions/${id}/runs/${body.run_id}?wait=60`);
      expect(run).toMatchObject({
        status: 'completed',
        outcome: { text: 'DONE root' },
        attempts: isKilled ? 2 : 1,
      });
      const children = await get(`/api/v1/sessions/${id}/children`);
      expect(children.map((each: { status: string }) => each.status)).toEqual(['completed', 'completed']);
      const events = (await get(`/api/v1/sessions/${id}/events?limit=1000`)) as { name: string }[];
      const ended = events.filter(({ name }) => name === 'run:ended' || name === 'delegate:agent_completed');
      expect(ended.map(({ name }) => name).sort()).toEqual([
        'delegate:agent_completed',
        'delegate:agent_completed',
        'run:ended',
      ]);
      expect(await daemon.stop()).toBe(0);
    } finally {
      await daemon.kill();
    }
  },
);
