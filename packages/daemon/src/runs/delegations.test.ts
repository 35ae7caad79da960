import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@amplifier/core';
import { describe, expect, it, vi } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, script } from '../../test-support/run-profile.js';
import { ScopedTokens } from '../auth/scoped-tokens.js';

/** Readable copies follow the record. */
const FOLLOWS = { timeout: 100_000, interval: 20 };

const write = (file: string) => call('write_file', { file_path: file, content: 'x' });

describe('delegating over REST', () => {
  it('hands skills over by name, asks for a summary, and refuses a skill that is not there', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    await bench.daemon.workspace.write(
      'work/.claude/skills/house-style/SKILL.md',
      '---\nname: house-style\ndescription: How we write.\n---\nShort sentences, canary-skill.\n',
    );
    const path = `/api/v1/sessions/${id}/delegate`;
    const asked = { agent: 'scout', instruction: '!say Seen.', context_depth: 'none', wait: 60 };
    const told = await bench.daemon.post(path, {
      ...asked,
      skills: ['house-style'],
      hand_back: 'summary',
      max_result: 300,
    });
    expect(told.body).toMatchObject({ status: 'completed' });
    const seen = JSON.stringify(bench.model.exchanges.at(-1)?.body);
    expect(seen).toMatch(/canary-skill/);
    expect(seen).toMatch(/in at most 300 characters/);
    expect(seen).toMatch(/Another agent handed you one task/);
    const before = bench.model.exchanges.length;
    const refused = await bench.daemon.post(path, { ...asked, skills: ['nowhere'] });
    expect(JSON.stringify(refused.body)).toMatch(/There is no skill 'nowhere'/);
    expect(bench.model.exchanges).toHaveLength(before);
  });

  it('runs a child of the session with what the options say', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    await bench.run(id, '!say My name is Ada.', { wait: 60 });
    const path = `/api/v1/sessions/${id}/delegate`;
    const clean = await bench.daemon.post(path, {
      agent: 'scout',
      instruction: '!say Seen.',
      context_depth: 'none',
      wait: 60,
    });
    expect(clean.body).toMatchObject({
      kind: 'delegate',
      agent: 'scout',
      status: 'completed',
      outcome: { text: 'Seen.' },
    });
    expect(JSON.stringify(bench.model.exchanges.at(-1)?.body)).not.toContain('Ada');
    const child = clean.body.child_session_id;
    const inherited = await bench.daemon.post(path, {
      agent: 'scribe',
      instruction: '!say With it.',
      wait: 60,
    });
    expect(inherited.body.outcome.text).toBe('With it.');
    expect(JSON.stringify(bench.model.exchanges.at(-1)?.body)).toContain('Ada');
    const resumed = await bench.daemon.post(path, {
      session_id: child,
      instruction: '!say Again.',
      wait: 60,
    });
    expect(resumed.body).toMatchObject({
      child_session_id: child,
      status: 'completed',
      outcome: { text: 'Again.' },
    });
    expect(JSON.stringify(bench.model.exchanges.at(-1)?.body)).toContain('Seen.');
    const names = (await bench.events(id))
      .map(({ name }) => name)
      .filter((name) => name.startsWith('delegate:'));
    expect(names).toEqual([
      'delegate:agent_spawned',
      'delegate:agent_completed',
      'delegate:agent_spawned',
      'delegate:agent_completed',
      'delegate:agent_resumed',
      'delegate:agent_completed',
    ]);
    const { body: session } = await bench.daemon.get(`/api/v1/sessions/${child}`);
    expect(session.mount_plan_path).toBe('mount_plan.json');
    const { body: plan } = await bench.daemon.get(`/api/v1/mount-plans/${child}`);
    const { body: above } = await bench.daemon.get(`/api/v1/mount-plans/${id}`);
    expect(plan.session).toMatchObject({ session_id: child, parent_session_id: id });
    expect(plan.orchestrator).toEqual(above.orchestrator);
    expect(plan.providers).toEqual(above.providers);
    for (const [session_id, expected] of [
      [child, plan],
      [id, above],
    ]) {
      const file = join(bench.daemon.home, 'state/sessions', session_id, 'mount_plan.json');
      await vi.waitFor(
        async () => expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(expected),
        FOLLOWS,
      );
    }
    const core = (await bench.daemon.get(`/api/v1/mount-plans/${child}?format=core`)).body;
    expect(core.tools.map(({ module }: { module: string }) => module)).not.toContain('tool-delegate');
    const { body: listed } = await bench.daemon.get(`/api/v1/mount-plans?parent_session_id=${id}`);
    expect(listed.map((each: { mount_point_count: number }) => each.mount_point_count)).toContain(
      plan.mount_points.length,
    );
    const unknown = await bench.daemon.post(path, { agent: 'scuot', instruction: 'x' });
    expect(unknown.body).toMatchObject({ status: 404, code: 'AGENT_NOT_FOUND' });
    expect(unknown.body.detail).toContain('scout');
    const stranger = await bench.daemon.post(path, { session_id: await bench.session(), instruction: 'x' });
    expect([stranger.status, stranger.body.code]).toEqual([404, 'SESSION_NOT_FOUND']);
    const strict = { agent: 'scout', instruction: 'x', strict_preferences: true };
    const unmet = await bench.daemon.post(path, {
      ...strict,
      provider_preferences: [{ provider: 'none', model: 'x' }],
    });
    expect(unmet.body).toMatchObject({ code: 'DELEGATION_REFUSED', reason: 'STRICT_PREFERENCE' });
    const nobody = await bench.daemon.post(path, { instruction: 'x' });
    expect(nobody.body.code).toBe('VALIDATION_FAILED');
  });

  it.each([true, false])(
    'refuses propose without an isolated tree to a run token, trusted: %s',
    async (trusted) => {
      await using bench = await RunBench.start({
        runs: { trust_working_dir: trusted, safety_mode: 'propose' },
      });
      const id = await bench.session();
      const { token } = await new ScopedTokens(bench.daemon.record).create({ scope: 'run' }, systemClock);
      const delegate = (more: object) =>
        bench.daemon.call(
          'POST',
          `/api/v1/sessions/${id}/delegate`,
          {
            agent: 'scribe',
            instruction: script(write('made.txt'), '!say Done.'),
            context_depth: 'none',
            safety_mode: 'propose',
            approvals: { timeout_seconds: 0.05, on_timeout: 'allow' },
            wait: 60,
            ...more,
          },
          { headers: { authorization: `Bearer ${token}` } },
        );
      const refused = await delegate({ isolation: 'none' });
      expect(refused.body).toMatchObject({ code: 'DELEGATION_REFUSED', reason: 'ISOLATION_REQUIRED' });
      expect(refused.body.detail).toMatch(/isolated tree.*Omit isolation/);
      expect(bench.model.exchanges).toHaveLength(0);
      const { body } = await delegate({});
      expect(body.outcome.artifacts).toMatchObject([{ kind: 'patch', changes: [{ path: 'made.txt' }] }]);
      await expect(bench.daemon.workspace.read('work/made.txt')).rejects.toThrow('ENOENT');
    },
  );

  it('holds the child to the limits of the run', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    const { body } = await bench.daemon.post(`/api/v1/sessions/${id}/delegate`, {
      agent: 'scout',
      instruction: '!hang',
      context_depth: 'none',
      limits: { timeout: 0.05 },
      wait: 60,
    });
    expect(body).toMatchObject({ status: 'limit', outcome: { limit: { kind: 'time' } } });
  });

  it('several go on at once, also while the session itself works', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    const own = (await bench.run(id, script(write('own.txt'), '!say Own.'))).body.run_id;
    const path = `/api/v1/sessions/${id}/delegate`;
    const asked = { agent: 'scribe', context_depth: 'none' };
    const runs = await Promise.all(
      ['1', '2'].map((n) =>
        bench.daemon.post(path, { ...asked, instruction: script(write(`d${n}.txt`), `!say ${n}.`) }),
      ),
    );
    const seen: string[] = [];
    while (seen.length < 3) seen.push((await bench.approval(id, seen)).approval_id);
    for (const approval_id of seen) await bench.answer(id, approval_id);
    for (const { body } of runs) expect((await bench.ended(id, body.run_id)).status).toBe('completed');
    expect((await bench.ended(id, own)).status).toBe('completed');
  });

  it('what the session itself does can be stopped without them, and they with it', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    const own = (await bench.run(id, script(write('own.txt'), '!say Own.'))).body.run_id;
    const asked = { agent: 'scribe', context_depth: 'none', instruction: script(write('d.txt'), '!say D.') };
    const { run_id } = (await bench.daemon.post(`/api/v1/sessions/${id}/delegate`, asked)).body;
    const seen: string[] = [];
    while (seen.length < 2) seen.push((await bench.approval(id, seen)).approval_id);
    await bench.daemon.post(`/api/v1/sessions/${id}/runs/${own}/cancel`, { mode: 'immediate', wait: 60 });
    expect((await bench.daemon.get(`/api/v1/runs/${run_id}`)).body.status).toBe('running');
    await bench.run(id, script(write('again.txt'), '!say Again.'));
    await bench.approval(id, seen);
    expect((await bench.daemon.post(`/api/v1/sessions/${id}/terminate`, { cascade: true })).status).toBe(204);
    expect((await bench.ended(id, run_id)).status).toBe('cancelled');
  });

  it('a child that was cut off goes on', async () => {
    await using bench = await RunBench.start();
    const id = await bench.session();
    const instruction = script(write('d.txt'), write('d.txt'), '!say Done.');
    const asked = { agent: 'scribe', context_depth: 'none', instruction };
    const { run_id } = (await bench.daemon.post(`/api/v1/sessions/${id}/delegate`, asked)).body;
    const { approval_id } = await bench.approval(id);
    await bench.restart();
    expect(await bench.ended(id, run_id)).toMatchObject({ status: 'interrupted' });
    await bench.answer(id, approval_id);
    const { body } = await bench.daemon.post(`/api/v1/sessions/${id}/runs/${run_id}/continue`, { wait: 60 });
    expect(body).toMatchObject({ status: 'completed', outcome: { text: 'Done.' } });
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/children`)).body).toHaveLength(1);
  });
});
