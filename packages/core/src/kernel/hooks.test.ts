import { recordEvents, VirtualClock } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from './diagnostics.js';
import type { HookReply } from './hook-result.js';
import { HookRegistry } from './hooks.js';

function registry() {
  const diagnostics: Diagnostic[] = [];
  const clock = new VirtualClock('2026-03-01T12:00:00.000Z');
  return {
    hooks: new HookRegistry({ clock, report: (diagnostic) => diagnostics.push(diagnostic) }),
    diagnostics,
    clock,
  };
}

describe('order of handlers', () => {
  it('runs lower priorities first and keeps the order of registration among equals', async () => {
    const { hooks } = registry();
    const ran: string[] = [];
    for (const [name, priority] of [
      ['late', 10],
      ['first', -5],
      ['a', 0],
      ['b', 0],
    ] as const) {
      hooks.register('test:event', () => void ran.push(name), { priority, name });
    }
    await hooks.emit('test:event', {});
    expect(ran).toEqual(['first', 'a', 'b', 'late']);
  });

  it('offers the event to the handlers that were there when it was emitted', async () => {
    const { hooks } = registry();
    let late = 0;
    hooks.register('test:event', () => void hooks.register('test:event', () => void late++));
    await hooks.emit('test:event', {});
    expect(late).toBe(0);
  });

  it('unregisters one handler and leaves another of the same name alone, on this and on other events', async () => {
    const { hooks } = registry();
    const ran: string[] = [];
    const off = hooks.register('test:one', () => void ran.push('one'), { name: 'same' });
    hooks.register('test:one', () => void ran.push('twin'), { name: 'same' });
    hooks.register('test:two', () => void ran.push('two'), { name: 'same' });
    off();
    off();
    await hooks.emit('test:one', {});
    await hooks.emit('test:two', {});
    expect(ran).toEqual(['twin', 'two']);
  });
});

describe('emitting', () => {
  const REPLIES: Record<string, HookReply> = {
    deny: { action: 'deny', reason: 'no' },
    ask: { action: 'ask_user', approval_prompt: '?' },
    inject: { action: 'inject_context', context_injection: 'x' },
    modify: { action: 'modify', data: { changed: true } },
    nothing: null,
  };
  const hook = fc.record({
    kind: fc.constantFrom('guard', 'listener'),
    reply: fc.constantFrom(...Object.keys(REPLIES)),
    isAsync: fc.boolean(),
    priority: fc.integer({ min: -2, max: 2 }),
  });

  it('returns no promise unless a handler did, with the same order and answer as if all did', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hook, { maxLength: 6 }), async (handlers) => {
        const run = (isAsync: (own: boolean) => boolean) => {
          const { hooks } = registry();
          const called: number[] = [];
          const recorder = recordEvents(hooks);
          let promises = 0;
          handlers.forEach(({ kind, reply, isAsync: own, priority }, at) => {
            const handler = () => {
              called.push(at);
              if (!isAsync(own)) return REPLIES[reply];
              promises++;
              return Promise.resolve(REPLIES[reply]);
            };
            if (kind === 'guard') hooks.register('test:event', handler, { priority });
            else hooks.listen('test:event', handler, { priority });
          });
          const emitted = hooks.emit('test:event', { a: 1 });
          const isPromise = emitted instanceof Promise;
          expect(isPromise).toBe(promises > 0);
          return { emitted, called, recorder };
        };
        const mixed = run((own) => own);
        const never = run(() => false);
        const always = run(() => true);
        const expected = await always.emitted;
        for (const { emitted, called, recorder } of [mixed, never]) {
          expect(await emitted).toEqual(expected);
          expect(called).toEqual(always.called);
          expect(recorder.events).toEqual(always.recorder.events);
        }
      }),
    );
  });

  it('returns no promise for an event that only observers see', () => {
    const { hooks } = registry();
    const recorder = recordEvents(hooks);
    expect(hooks.emit('test:event', { a: 1 })).toMatchObject({ action: 'continue', data: { a: 1 } });
    expect(recorder.names()).toEqual(['test:event']);
  });
});

describe('what handlers say to the user', () => {
  it('is kept when the event goes on, and together when several speak', async () => {
    const { hooks } = registry();
    hooks.register('test:one', () => ({ user_message: 'Careful.', user_message_level: 'warning' }));
    hooks.register('test:one', () => ({ action: 'modify', data: { changed: true } }));
    expect(await hooks.emit('test:one', {})).toMatchObject({
      action: 'continue',
      data: { changed: true },
      user_message: 'Careful.',
      user_message_level: 'warning',
    });
    hooks.register('test:one', () => ({ user_message: 'Noted.', user_message_source: 'notes' }));
    expect(await hooks.emit('test:one', {})).toMatchObject({
      user_message: 'Careful.\nNoted.',
      user_message_level: 'warning',
      user_message_source: 'notes',
    });
  });

  it('is kept beside an injection of another', async () => {
    const { hooks } = registry();
    hooks.register('test:one', () => ({ action: 'inject_context', context_injection: 'Facts.' }));
    hooks.register('test:one', () => ({ user_message: 'Hello.' }));
    expect(await hooks.emit('test:one', {})).toMatchObject({
      context_injection: 'Facts.',
      user_message: 'Hello.',
    });
  });
});

describe('what handlers see', () => {
  it('adds the default fields under the data and stamps the time over the data', async () => {
    const { hooks } = registry();
    hooks.setDefaults({ session_id: 's1', parent_id: null });
    const seen: unknown[] = [];
    hooks.register('test:event', (_, data) => void seen.push(data));
    await hooks.emit('test:event', { session_id: 'mine', timestamp: 'forged' });
    expect(seen).toEqual([{ session_id: 'mine', parent_id: null, timestamp: '2026-03-01T12:00:00.000Z' }]);
  });

  it('returns the data untouched when nobody handles the event, observed or not', async () => {
    const { hooks } = registry();
    hooks.setDefaults({ session_id: 's1' });
    const data = { a: 1 };
    expect((await hooks.emit('test:event', data)).data).toBe(data);
    const recorder = recordEvents(hooks);
    expect((await hooks.emit('test:event', data)).data).toBe(data);
    expect(recorder.of('test:event')).toEqual([
      { session_id: 's1', a: 1, timestamp: '2026-03-01T12:00:00.000Z' },
    ]);
  });

  it('gives each handler a copy, so that changing it in place has no effect', async () => {
    const { hooks } = registry();
    const data = { nested: { list: [1] } };
    hooks.register('test:event', (_, copy) => void (copy.nested as { list: number[] }).list.push(2));
    const result = await hooks.emit('test:event', data);
    expect(result.data).toMatchObject({ nested: { list: [1] } });
    expect(data).toEqual({ nested: { list: [1] } });
  });

  it('passes a modify on to later handlers and comes back as continue with the new data', async () => {
    const { hooks } = registry();
    hooks.register('test:event', (_, data) => ({
      action: 'modify',
      data: { ...data, n: (data.n as number) + 1 },
    }));
    hooks.register('test:event', (_, data) => ({
      action: 'modify',
      data: { ...data, n: (data.n as number) * 10 },
    }));
    const result = await hooks.emit('test:event', { n: 1 });
    expect(result.action).toBe('continue');
    expect(result.data).toMatchObject({ n: 20 });
  });
});

describe('precedence of answers', () => {
  it('stops at a deny and returns it', async () => {
    const { hooks } = registry();
    let after = 0;
    hooks.register('test:event', () => ({ action: 'inject_context', context_injection: 'note' }));
    hooks.register('test:event', () => ({ action: 'deny', reason: 'no' }));
    hooks.register('test:event', () => void after++);
    const result = await hooks.emit('test:event', {});
    expect(result).toMatchObject({ action: 'deny', reason: 'no' });
    expect(after).toBe(0);
  });

  it('joins injections by a blank line, with role and flags of the first and append_to_last_tool_result of any', async () => {
    const { hooks } = registry();
    hooks.register('test:event', () => ({
      action: 'inject_context',
      context_injection: 'one',
      context_injection_role: 'user',
      ephemeral: true,
      suppress_output: true,
    }));
    hooks.register('test:event', () => ({
      action: 'inject_context',
      context_injection: 'two',
      append_to_last_tool_result: true,
    }));
    hooks.register('test:event', () => ({ action: 'inject_context', context_injection: null }));
    expect(await hooks.emit('test:event', {})).toMatchObject({
      action: 'inject_context',
      context_injection: 'one\n\ntwo',
      context_injection_role: 'user',
      ephemeral: true,
      suppress_output: true,
      append_to_last_tool_result: true,
    });
  });

  it('keeps every question when several guards ask', async () => {
    const { hooks } = registry();
    hooks.register('test:event', () => ({ action: 'ask_user', approval_prompt: 'first?' }));
    hooks.register('test:event', () => ({ action: 'ask_user', approval_prompt: 'second?' }));
    expect(await hooks.emit('test:event', {})).toMatchObject({
      action: 'ask_user',
      approval_prompt: 'first?',
      further_questions: [{ approval_prompt: 'second?' }],
    });
  });

  it('denies what is changed after it was asked about', async () => {
    const { hooks } = registry();
    hooks.register('test:event', () => ({ action: 'ask_user', approval_prompt: 'path a?' }), {
      name: 'asker',
    });
    hooks.register('test:event', () => ({ action: 'modify', data: { path: 'b' } }), { name: 'changer' });
    expect(await hooks.emit('test:event', { path: 'a' })).toMatchObject({
      action: 'deny',
      reason: expect.stringContaining("'changer' changed test:event after 'asker'"),
    });
  });

  it('denies what is changed after a guard judged it, though that asked nobody', async () => {
    const { hooks } = registry();
    hooks.register('test:event', () => null, { name: 'rules', judges: true });
    hooks.register('test:event', () => ({ action: 'modify', data: { path: 'b' } }), { name: 'changer' });
    expect(await hooks.emit('test:event', { path: 'a' })).toMatchObject({
      action: 'deny',
      reason: expect.stringContaining("'changer' changed test:event after 'rules'"),
    });
  });

  it('asks about what earlier handlers made of the data, and carries that data on', async () => {
    const hooks = new HookRegistry();
    hooks.register('test:event', (_event, data) => ({ action: 'modify', data: { ...data, path: 'safe' } }));
    hooks.register('test:event', () => ({ action: 'ask_user', approval_prompt: '?' }));
    expect((await hooks.emit('test:event', { path: 'unsafe' })).data).toMatchObject({ path: 'safe' });
  });

  it('is deny over ask_user over injection over continue, whatever the order of handlers', async () => {
    const replies: Record<string, HookReply> = {
      deny: { action: 'deny' },
      ask_user: { action: 'ask_user', approval_prompt: '?' },
      inject_context: { action: 'inject_context', context_injection: 'x' },
      modify: { user_message: 'noted' },
      continue: { action: 'continue' },
      nothing: null,
    };
    const strongest = ['deny', 'ask_user', 'inject_context'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(replies)), { maxLength: 8 }),
        async (names) => {
          const { hooks } = registry();
          for (const name of names) hooks.register('test:event', () => replies[name]);
          const result = await hooks.emit('test:event', {});
          expect(result.action).toBe(strongest.find((name) => names.includes(name)) ?? 'continue');
        },
      ),
    );
  });
});

describe('handlers that misbehave', () => {
  it('denies when a guard throws, and shows observers nothing of what it could not judge', async () => {
    const { hooks, diagnostics } = registry();
    const recorder = recordEvents(hooks);
    hooks.register('tool:pre', () => Promise.reject(new Error('broken')), { name: 'bad' });
    const data = {
      tool_name: 't',
      tool_call_id: 'c',
      tool_input: { key: 'secret' },
      parallel_group_id: null,
    };
    expect(await hooks.emit('tool:pre', data)).toMatchObject({
      action: 'deny',
      reason: "Hook 'bad' failed (broken), so tool:pre is denied.",
    });
    expect(diagnostics).toMatchObject([
      { code: 'HOOK_FAILED', message: expect.stringContaining("'bad' failed on tool:pre: broken") },
    ]);
    expect(recorder.of('tool:pre')).toMatchObject([{ tool_call_id: 'c', denied: expect.any(String) }]);
    expect(JSON.stringify(recorder.events)).not.toContain('secret');
  });

  it('denies when the data is too deep to be copied for a guard', async () => {
    const { hooks } = registry();
    let asked = 0;
    hooks.register('test:event', () => void asked++);
    const deep: Record<string, unknown> = {};
    let inner = deep;
    for (let level = 0; level < 100_000; level++) inner = inner.a = {};
    expect((await hooks.emit('test:event', { deep })).action).toBe('deny');
    expect(asked).toBe(0);
  });

  it('denies when a guard has not answered in its time', async () => {
    const { hooks, clock, diagnostics } = registry();
    hooks.register('test:event', () => new Promise(() => {}), { name: 'slow', timeoutMs: 5000 });
    const verdict = hooks.emit('test:event', {});
    await clock.advance(5000);
    expect(await verdict).toMatchObject({ action: 'deny', reason: expect.stringContaining("'slow'") });
    expect(diagnostics.map(({ code }) => code)).toEqual(['HOOK_TIMEOUT']);
    expect(clock.pending).toBe(0);
  });

  it('passes over a listener that throws or hangs, and does not look at its answer', async () => {
    const { hooks, clock, diagnostics } = registry();
    const seen: unknown[] = [];
    hooks.listen('test:event', () => Promise.reject(new Error('broken')), { name: 'bad' });
    hooks.listen('test:event', () => new Promise(() => {}), { name: 'slow', timeoutMs: 5000 });
    hooks.listen('test:event', () => ({ action: 'deny' }));
    hooks.listen('test:event', (_, data) => void seen.push(data.changed));
    hooks.register('test:event', () => ({ action: 'modify', data: { changed: true } }));
    const verdict = hooks.emit('test:event', {});
    await clock.advance(0);
    await clock.advance(5000);
    expect((await verdict).action).toBe('continue');
    expect(seen).toEqual([true]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['HOOK_FAILED', 'HOOK_TIMEOUT']);
  });

  it('does not tell listeners of what was denied', async () => {
    const { hooks } = registry();
    let told = 0;
    hooks.listen('test:event', () => void told++);
    hooks.register('test:event', () => ({ action: 'deny' }));
    await hooks.emit('test:event', {});
    expect(told).toBe(0);
  });

  it.each([
    ['a string', 'yes'],
    ['an unknown action', { action: 'explode' }],
    ['a wrong type', { action: 'deny', reason: 5 }],
    ['a number', 0],
  ])('denies when a handler returns %s', async (_, reply) => {
    const { hooks } = registry();
    hooks.register('test:event', () => reply as HookReply, { name: 'odd' });
    expect(await hooks.emit('test:event', {})).toMatchObject({
      action: 'deny',
      reason: expect.stringContaining("'odd'"),
    });
  });

  it('keeps a failing observer from harming the event', async () => {
    const { hooks, diagnostics } = registry();
    hooks.observe(() => {
      throw new Error('observer');
    });
    const recorder = recordEvents(hooks);
    await hooks.emit('test:event', { a: 1 });
    expect(recorder.names()).toEqual(['test:event']);
    expect(diagnostics).toMatchObject([{ code: 'OBSERVER_FAILED' }]);
  });
});

describe('observers', () => {
  it('see every event once, with its final data, a denied one too', async () => {
    const { hooks } = registry();
    const recorder = recordEvents(hooks);
    hooks.register('test:a', (_, data) => ({ action: 'modify', data: { ...data, changed: true } }));
    hooks.register('test:b', () => ({ action: 'deny' }));
    await hooks.emit('test:a', {});
    await hooks.emit('test:b', {});
    expect(recorder.names()).toEqual(['test:a', 'test:b']);
    expect(recorder.of('test:a')[0]).toMatchObject({ changed: true });
    recorder.stop();
    await hooks.emit('test:a', {});
    expect(recorder.events).toHaveLength(2);
  });
});

describe('relay', () => {
  it('shows observers the event of another session as it is, and asks no handler', async () => {
    const { hooks } = registry();
    let asked = 0;
    hooks.register('tool:pre', () => void asked++);
    const recorder = recordEvents(hooks);
    hooks.relay('tool:pre', { session_id: 'child', timestamp: 'then' });
    expect(recorder.of('tool:pre')).toEqual([{ session_id: 'child', timestamp: 'then' }]);
    expect(asked).toBe(0);
  });
});
