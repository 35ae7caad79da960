import { MemoryContext, recordEvents, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { type ApprovalSystem, ApprovalTimeoutError } from './contracts/approval-system.js';
import { Coordinator } from './coordinator.js';
import { hookResult } from './hook-result.js';
import type { SessionSection } from './mount-plan.js';

const clock = new VirtualClock('2026-03-01T12:00:00.000Z');

function setUp(options: { approval?: ApprovalSystem; session?: Partial<SessionSection> } = {}) {
  const shown: string[][] = [];
  const coordinator = new Coordinator({
    session: { id: 's1', parent_id: null },
    plan: { session: { orchestrator: 'o', context: 'c', ...options.session } },
    clock,
    display: { showMessage: (...message) => shown.push(message) },
    ...(options.approval ? { approval: options.approval } : {}),
  });
  const context = new MemoryContext();
  coordinator.mounts.mount('context', context);
  return { coordinator, context, shown, events: recordEvents(coordinator.hooks) };
}

const answering = (answer: string): ApprovalSystem => ({ requestApproval: async () => answer });

describe('injection', () => {
  const injection = hookResult({
    action: 'inject_context',
    context_injection: 'Mind\u0000 the \ud800gap.\n',
  });

  it('enters the conversation sanitized, with its origin', async () => {
    const { coordinator, context } = setUp();
    const result = await coordinator.processHookResult(injection, 'tool:post', 'linter');
    expect(result.context_injection).toBe('Mind the �gap.\n');
    expect(await context.getMessages()).toEqual([
      {
        role: 'system',
        content: 'Mind the �gap.\n',
        metadata: {
          source: 'hook',
          hook_name: 'linter',
          event: 'tool:post',
          timestamp: '2026-03-01T12:00:00.000Z',
        },
      },
    ]);
  });

  it('is counted but not stored when it is ephemeral', async () => {
    const { coordinator, context } = setUp();
    await coordinator.processHookResult({ ...injection, ephemeral: true }, 'provider:request', 'routing');
    expect(await context.getMessages()).toEqual([]);
    expect(coordinator.injections.tokensThisTurn).toBe(3);
    coordinator.resetTurn();
    expect(coordinator.injections.tokensThisTurn).toBe(0);
  });

  it('is refused over the size limit, measured after sanitizing', async () => {
    const { coordinator, context } = setUp({ session: { injection_size_limit: 10 } });
    await expect(coordinator.processHookResult(injection, 'tool:post', 'linter')).rejects.toMatchObject({
      code: 'INJECTION_TOO_LARGE',
      message: expect.stringContaining('allows 10'),
    });
    const padded = hookResult({ action: 'inject_context', context_injection: `${'\u0001'.repeat(50)}short` });
    await coordinator.processHookResult(padded, 'tool:post', 'linter');
    expect(await context.getMessages()).toHaveLength(1);
  });

  it('over the budget of the turn is only warned of', async () => {
    const { coordinator, context } = setUp({ session: { injection_budget_per_turn: 2 } });
    await coordinator.processHookResult(injection, 'tool:post', 'linter');
    expect(coordinator.diagnostics).toMatchObject([{ level: 'warning', code: 'INJECTION_BUDGET_EXCEEDED' }]);
    expect(await context.getMessages()).toHaveLength(1);
  });

  it('is unlimited when nothing is set', async () => {
    const { coordinator } = setUp();
    const large = hookResult({ action: 'inject_context', context_injection: 'x'.repeat(1_000_000) });
    await coordinator.processHookResult(large, 'tool:post', 'linter');
    expect(coordinator.diagnostics).toEqual([]);
  });
});

describe('message to the user', () => {
  it('is shown with its level and source', async () => {
    const { coordinator, shown } = setUp();
    await coordinator.processHookResult(
      hookResult({ user_message: 'hello', user_message_level: 'warning' }),
      'tool:post',
      'linter',
    );
    await coordinator.processHookResult(
      hookResult({ user_message: 'again', user_message_source: 'style' }),
      'tool:post',
      'linter',
    );
    expect(shown).toEqual([
      ['hello', 'warning', 'hook:linter'],
      ['again', 'info', 'hook:style'],
    ]);
  });

  it('is not shown beside a question', async () => {
    const { coordinator, shown } = setUp({ approval: answering('Allow') });
    await coordinator.processHookResult(
      hookResult({ action: 'ask_user', user_message: 'hello' }),
      'tool:pre',
      'gate',
    );
    expect(shown).toEqual([]);
  });
});

describe('question to the user', () => {
  const question = hookResult({ action: 'ask_user', approval_prompt: 'Run it?' });

  it.each(['Allow', 'allow once', ' ALLOW ALWAYS '])('is a yes for %j', async (answer) => {
    const { coordinator, events } = setUp({ approval: answering(answer) });
    expect((await coordinator.processHookResult(question, 'tool:pre', 'gate')).action).toBe('continue');
    expect(events.names()).toEqual(['approval:required', 'approval:granted']);
  });

  it.each(['Deny', 'yes', 'ok', '', 'Allow for this file'])('is a no for %j', async (answer) => {
    const { coordinator, events } = setUp({ approval: answering(answer) });
    expect((await coordinator.processHookResult(question, 'tool:pre', 'gate')).action).toBe('deny');
    expect(events.names()).toEqual(['approval:required', 'approval:denied']);
  });

  it('is a no when there is nobody to ask', async () => {
    const { coordinator } = setUp();
    expect(await coordinator.processHookResult(question, 'tool:pre', 'gate')).toMatchObject({
      action: 'deny',
      reason: 'No approval system available',
    });
  });

  it('is a no when asking fails', async () => {
    const broken: ApprovalSystem = { requestApproval: () => Promise.reject(new Error('terminal gone')) };
    const { coordinator } = setUp({ approval: broken });
    expect(await coordinator.processHookResult(question, 'tool:pre', 'gate')).toMatchObject({
      action: 'deny',
      reason: expect.stringContaining('terminal gone'),
    });
  });

  it.each([
    ['deny', 'deny'],
    ['allow', 'continue'],
  ] as const)('left unanswered takes the default %s', async (approval_default, action) => {
    const silent: ApprovalSystem = { requestApproval: () => Promise.reject(new ApprovalTimeoutError(300)) };
    const { coordinator } = setUp({ approval: silent });
    const result = await coordinator.processHookResult({ ...question, approval_default }, 'tool:pre', 'gate');
    expect(result.action).toBe(action);
  });

  it('carries who asks, the default options and the time allowed', async () => {
    const asked: object[] = [];
    const { coordinator } = setUp({
      approval: {
        requestApproval: async (request) => {
          asked.push(request);
          return 'Allow';
        },
      },
    });
    await coordinator.processHookResult(question, 'tool:pre', 'gate');
    expect(asked).toMatchObject([
      {
        prompt: 'Run it?',
        options: ['Allow', 'Deny'],
        timeout: 300,
        default: 'deny',
        session_id: 's1',
        hook_name: 'gate',
        event: 'tool:pre',
      },
    ]);
  });
});
