import { access, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, delegate, script } from '../../test-support/run-profile.js';

let bench: RunBench;
beforeAll(async () => {
  bench = await RunBench.start();
});
afterAll(() => bench[Symbol.asyncDispose]());

const write = (file: string) => call('write_file', { file_path: file, content: 'x' });
const written = (file: string) => readFile(bench.daemon.workspace.resolve(`work/${file}`), 'utf8');

describe('an approval', () => {
  it('is listed, fetched, and answered once', async () => {
    const id = await bench.session();
    const { run_id } = (await bench.run(id, script(write('one.txt'), '!say Done.'))).body;
    const pending = await bench.approval(id);
    expect(pending).toMatchObject({
      session_id: id,
      kind: 'approval',
      prompt: expect.stringContaining('one.txt'),
      options: [
        'Allow once',
        'Allow always: exactly this change, in this conversation',
        'Allow always: write: **, in this conversation',
        'Deny',
      ],
      on_timeout: 'deny',
      answer: null,
      tool_name: 'write_file',
      tool_input: null,
    });
    expect(Date.parse(pending.expires_at) - Date.parse(pending.asked_at)).toBe(300_000);
    const path = `/api/v1/sessions/${id}/approvals/${pending.approval_id}`;
    expect((await bench.daemon.get(path)).body).toEqual(pending);
    const answers = await Promise.all(
      [1, 2, 3].map(() => bench.answer(id, pending.approval_id, { approved: true, by: 'ada' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await bench.ended(id, run_id)).status).toBe('completed');
    expect(await written('one.txt')).toBe('x');
    const late = await bench.answer(id, pending.approval_id, { approved: false });
    expect([late.status, late.body.code]).toEqual([409, 'APPROVAL_ANSWERED']);
    expect((await bench.daemon.get(path)).body).toMatchObject({
      status: 'answered',
      answer: 'Allow once',
      answered_by: 'ada',
    });
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/approvals?status=pending`)).body).toEqual([]);
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/approvals?status=answered`)).body).toHaveLength(1);
  });

  it('is not asked for what a rule of the plan allows, and not given for what one denies', async () => {
    const permissions = { allow: ['write: free/**'], deny: ['write: shut/**'] };
    const id = await bench.session({
      settings_overrides: { modules: { 'hooks-approval': { config: { permissions } } } },
    });
    const steps = script(write('free/a.txt'), write('shut/a.txt'), '!say Done.');
    const { run_id } = (await bench.run(id, steps)).body;
    expect((await bench.ended(id, run_id)).status).toBe('completed');
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/approvals`)).body).toEqual([]);
    expect(await written('free/a.txt')).toBe('x');
    await expect(written('shut/a.txt')).rejects.toThrow('ENOENT');
  });

  it('lets no tool read what a rule of the plan denies to read', async () => {
    await bench.daemon.workspace.write('work/hidden/key.txt', 'TOP-SECRET');
    await bench.daemon.workspace.write('work/open.txt', 'TOP-OPEN');
    const permissions = { deny: ['read: hidden'], allow: ['bash'] };
    const id = await bench.session({
      settings_overrides: { modules: { 'hooks-approval': { config: { permissions } } } },
    });
    const looks = [call('grep', { pattern: 'TOP-' }), call('bash', { command: 'cat hidden/* open.txt' })];
    const { run_id } = (await bench.run(id, script(...looks, '!say Done.'))).body;
    expect((await bench.ended(id, run_id)).status).toBe('completed');
    const launch = (await bench.daemon.get(`/api/v1/sessions/${id}/launch`)).body;
    expect(JSON.stringify(launch)).toContain('/**/hidden');
    const transcript = JSON.stringify((await bench.daemon.get(`/api/v1/sessions/${id}/transcript`)).body);
    expect(transcript).toContain('Done.');
    expect(transcript).not.toContain('TOP-SECRET');
  });

  it('of a child is listed with those above it and answered there', async () => {
    const id = await bench.session();
    const child = delegate({ agent: 'scribe', instruction: script(write('child.txt'), '!say Written.') });
    const { run_id } = (await bench.run(id, script(child, '!say Done.'))).body;
    const pending = await bench.approval(id);
    expect(pending).toMatchObject({ agent: 'scribe', root_session_id: id });
    expect(pending.session_id).not.toBe(id);
    const everywhere = (await bench.daemon.get('/api/v1/approvals')).body;
    expect(everywhere.map((each: { approval_id: string }) => each.approval_id)).toContain(
      pending.approval_id,
    );
    const refused = await bench.answer(id, pending.approval_id, { answer: 'Maybe' });
    expect([refused.status, refused.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect((await bench.answer(id, pending.approval_id, { answer: 'deny' })).body.answer).toBe('Deny');
    expect((await bench.ended(id, run_id)).status).toBe('completed');
    await expect(access(bench.daemon.workspace.resolve('work/child.txt'))).rejects.toThrow();
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/approvals/none`)).body.code).toBe(
      'APPROVAL_NOT_FOUND',
    );
  });

  it('is paged in the order they were asked', async () => {
    const id = await bench.session();
    const three = ['1', '2', '3'].map((n) =>
      delegate({ agent: 'scribe', instruction: script(write(`p${n}.txt`), '!say W.') }),
    );
    const { run_id } = (await bench.run(id, script(three, '!say Done.'))).body;
    const seen: string[] = [];
    while (seen.length < 3) seen.push((await bench.approval(id, seen)).approval_id);
    const first = await bench.daemon.get(`/api/v1/sessions/${id}/approvals?limit=2`);
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await bench.daemon.get(next);
    expect([first.body.length, second.body.length]).toEqual([2, 1]);
    for (const approval_id of seen) await bench.answer(id, approval_id);
    expect((await bench.ended(id, run_id)).status).toBe('completed');
  });

  it('that lasts covers the call that was shown, and no other content, folder or surplus member', async () => {
    const id = await bench.session();
    const content = (text: string) => call('write_file', { file_path: 'same.txt', content: text });
    const surplus = call('write_file', { file_path: 'other.txt', content: 'EVIL', command: 'x' });
    const steps = script(content('good'), content('good'), surplus, content('EVIL'), '!say Done.');
    const { run_id } = (await bench.run(id, steps)).body;
    const first = await bench.approval(id);
    const answer = 'Allow always: exactly this change, in this conversation';
    await bench.answer(id, first.approval_id, { answer });
    const second = await bench.approval(id, [first.approval_id]);
    expect(await written('same.txt')).toBe('good');
    await bench.answer(id, second.approval_id, { approved: false });
    expect((await bench.ended(id, run_id)).status).toBe('completed');
    expect(await written('same.txt')).toBe('good');
    await expect(written('other.txt')).rejects.toThrow('ENOENT');
    expect((await bench.daemon.get(`/api/v1/sessions/${id}/approvals`)).body).toHaveLength(2);
    const { body } = await bench.daemon.get(`/api/v1/sessions/${id}/transcript`);
    expect(JSON.stringify(body)).toContain("does not take 'command'");
  });

  it('is closed when nobody waits for it any more', async () => {
    const id = await bench.session();
    const { run_id } = (await bench.run(id, script(write('closed.txt'), '!say Done.'))).body;
    const { approval_id } = await bench.approval(id);
    await bench.daemon.post(`/api/v1/sessions/${id}/runs/${run_id}/cancel`, { mode: 'immediate', wait: 60 });
    const late = await bench.answer(id, approval_id);
    expect([late.status, late.body.code]).toEqual([409, 'APPROVAL_CLOSED']);
  });
});

describe('an approval that nobody answers', () => {
  const expiring = async (on_timeout: string, file: string) => {
    const id = await bench.session();
    const approvals = { timeout_seconds: 0.05, on_timeout };
    const { run_id } = (await bench.run(id, script(write(file), '!say Done.'), { approvals })).body;
    return { id, run_id };
  };

  it.each([
    ['deny', 'Deny'],
    ['allow', 'Allow once'],
  ])('is answered by the policy: %s', async (policy, answer) => {
    const { id, run_id } = await expiring(policy, `${policy}.txt`);
    expect((await bench.ended(id, run_id)).status).toBe('completed');
    const [approval] = (await bench.daemon.get(`/api/v1/sessions/${id}/approvals`)).body;
    expect(approval).toMatchObject({ status: 'answered', answer, answered_by: 'timeout' });
    if (policy === 'allow') expect(await written('allow.txt')).toBe('x');
  });

  it('is left open by the policy: leave', async () => {
    const { id, run_id } = await expiring('leave', 'leave.txt');
    const pending = await bench.approval(id);
    expect(pending.expires_at).toBeNull();
    await bench.answer(id, pending.approval_id);
    expect((await bench.ended(id, run_id)).status).toBe('completed');
  });

  it('has its time go on while the daemon is away', async () => {
    await using other = await RunBench.start({ approvals: { timeout_seconds: 0.2 } });
    const id = await other.session();
    const { run_id } = (await other.run(id, script(write('away.txt'), '!say Done.'))).body;
    const { approval_id } = await other.approval(id);
    await other.restart({ approvals: { timeout_seconds: 0.2 } });
    let approval: { status: string; answered_by: string | null };
    do approval = (await other.daemon.get(`/api/v1/sessions/${id}/approvals/${approval_id}`)).body;
    while (approval.status === 'pending');
    expect(approval).toMatchObject({ status: 'answered', answered_by: 'timeout' });
    expect((await other.ended(id, run_id)).status).toBe('interrupted');
  });
});

describe('a yes that was given while the process was down', () => {
  const content = (text: string) => call('write_file', { file_path: 'same.txt', content: text });

  /** Asks to write `same.txt`, dies, gets a yes, and continues with the next call of the script. */
  async function continued(other: RunBench, next: string) {
    const id = await other.session();
    const { run_id } = (await other.run(id, script(content('harmless'), next, '!say Done.'))).body;
    const first = await other.approval(id);
    await other.restart();
    expect((await other.ended(id, run_id)).status).toBe('interrupted');
    expect((await other.answer(id, first.approval_id)).status).toBe(200);
    const { body } = await other.daemon.post(`/api/v1/sessions/${id}/runs/${run_id}/continue`);
    const file = () => other.daemon.workspace.read('work/same.txt');
    return { id, run_id: body.run_id, first, file };
  }

  it('counts for the call that was asked about', async () => {
    await using other = await RunBench.start();
    const { id, run_id, file } = await continued(other, content('harmless'));
    expect((await other.ended(id, run_id)).status).toBe('completed');
    expect(await file()).toBe('harmless');
    expect((await other.daemon.get(`/api/v1/sessions/${id}/approvals`)).body).toHaveLength(1);
  });

  it('does not count for another call that is asked about in the same words', async () => {
    await using other = await RunBench.start();
    const { id, run_id, first, file } = await continued(other, content('EVIL'));
    const second = await other.approval(id, [first.approval_id]);
    expect(second.prompt).toBe(first.prompt);
    await expect(file()).rejects.toThrow('ENOENT');
    await other.answer(id, second.approval_id, { approved: false });
    expect((await other.ended(id, run_id)).status).toBe('completed');
    await expect(file()).rejects.toThrow('ENOENT');
  });
});
