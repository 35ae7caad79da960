import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { startActor } from '../test-support/start-actor.js';
import type { MailItem } from './mailbox.js';
import { openRunQueue, openSessionStore } from './open-record.js';
import type { Claim } from './run-queue.js';

describe('several processes', () => {
  it('wake each other with mail', async () => {
    await using workspace = await TempWorkspace.create();
    await using child = startActor(workspace.path);
    await using store = await openSessionStore(workspace.resolve('record.db'));
    const parent = await store.create();
    const id = await child.ask<string>('create', {
      session: { parent_id: parent.session_id, agent_name: 'a' },
    });
    const waiting = child.ask<MailItem>('nextMail', { id });
    await store.send({ to: id, kind: 'message', body: { text: 'hello' } });
    expect((await waiting).body).toEqual({ text: 'hello' });
    await child.ask('send', { item: { to: parent.session_id, kind: 'completion', body: { ok: true } } });
    for await (const item of parent.mail()) {
      expect(item.kind).toBe('completion');
      break;
    }
    await child.kill('SIGKILL');
    const heir = await store.open(id);
    expect(await heir.pendingMail()).toEqual([]);
  });

  it('cannot have a session whose owner lives, and have it at once when it is killed', async () => {
    await using workspace = await TempWorkspace.create();
    await using owner = startActor(workspace.path);
    await using store = await openSessionStore(workspace.resolve('record.db'));
    const id = await owner.ask<string>('create', { session: { session_id: 's' } });
    await owner.ask('append', { id, text: 'mine' });
    await expect(store.open(id)).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    await owner.kill('SIGSTOP');
    await expect(store.open(id)).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    await owner.kill('SIGKILL');
    const log = await store.open(id);
    await log.appendMessages([{ role: 'assistant', content: 'now mine' }]);
    expect((await store.messages(id)).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('shut out a hung one whose turn they took over, even after it wakes up', async () => {
    await using workspace = await TempWorkspace.create();
    await using hung = startActor(workspace.path);
    const store = await openSessionStore(workspace.resolve('record.db'));
    const queue = await openRunQueue(workspace.resolve('record.db'));
    await (await store.create({ session_id: 's' })).close();
    await queue.enqueue({ session_id: 's', run_id: 'r', kind: 'turn' });
    const lost = await hung.ask<Claim>('claim');
    await hung.ask('open', { id: 's', lease: lost.token });
    await hung.ask('append', { id: 's', text: 'before' });
    await hung.kill('SIGSTOP');
    const late = hung.ask('append', { id: 's', text: 'in the pipe' });
    // Its lease has run out as far as this later reader of the clock can see.
    const later = { now: () => Date.now() + 60_000, after: () => () => undefined };
    const heir = await openRunQueue(workspace.resolve('record.db'), { clock: later });
    const claim = await heir.claim();
    expect(claim?.token).toBeGreaterThan(lost.token);
    const log = await store.open('s', { lease: claim?.token ?? 0 });
    const before = (await store.messages('s')).length;
    await log.appendMessages([{ role: 'user', content: 'after' }]);
    await hung.kill('SIGCONT');
    await expect(late).rejects.toMatchObject({ code: 'FENCED' });
    await expect(hung.ask('append', { id: 's', text: 'zombie' })).rejects.toMatchObject({ code: 'FENCED' });
    await expect(hung.ask('finish', { run_id: 'r' })).rejects.toMatchObject({ code: 'FENCED' });
    const texts = (await store.messages('s')).map(({ content }) => content);
    expect(texts).toHaveLength(before + 1);
    expect(texts).not.toContain('zombie');
    await queue.close();
    await heir.close();
    await store.close();
  });

  it("take over a killed one's run", async () => {
    await using workspace = await TempWorkspace.create();
    await using victim = startActor(workspace.path);
    await using queue = await openRunQueue(workspace.resolve('record.db'));
    await queue.enqueue({ session_id: 's', run_id: 'r', kind: 'turn' });
    await victim.ask('claim');
    expect(await queue.claim()).toBeNull();
    await victim.kill('SIGKILL');
    expect((await queue.claim())?.run).toMatchObject({ run_id: 'r', attempts: 2 });
  });
});
