import { mountedSession, recordEvents } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import module from './index.js';

it('adds up the calls of a session, exactly, and says which had no price', async () => {
  await using mounted = await mountedSession({
    script: [
      { tool_calls: [{ name: 'nothing' }], usage: { input_tokens: 100, output_tokens: 10, cost_usd: '0.1' } },
      { tool_calls: [{ name: 'nothing' }], usage: { input_tokens: 200, output_tokens: 20, cost_usd: '0.2' } },
      { text: 'Done.', usage: { input_tokens: 1, output_tokens: 1 } },
    ],
    hookModules: { 'hooks-cost': module },
  });
  const recorder = recordEvents(mounted.session.coordinator.hooks);
  await mounted.session.execute('go');
  const report = mounted.session.coordinator.getCapability('session.cost_report')?.();
  expect(report).toMatchObject({
    calls: 3,
    unpriced_calls: 1,
    cost_usd: '0.3',
    usage: { input_tokens: 301 },
  });
  expect(Object.keys(report?.by_model ?? {})).toEqual(['scripted/scripted-1']);
  expect(recorder.of('cost:updated')).toHaveLength(3);
  const contributed = await mounted.session.coordinator.contributions.collect('session.cost');
  expect(contributed).toMatchObject([{ cost_usd: '0.3' }]);
});

it('does not call an unknown price zero', async () => {
  await using mounted = await mountedSession({ hookModules: { 'hooks-cost': module } });
  await mounted.session.execute('go');
  expect(mounted.session.coordinator.getCapability('session.cost_report')?.().cost_usd).toBeNull();
});

it('warns once when the session costs more than was said', async () => {
  const shown: string[] = [];
  await using mounted = await mountedSession({
    hookModules: { 'hooks-cost': module },
    config: { 'hooks-cost': { warn_at_usd: 0.5 } },
    display: { showMessage: (message) => shown.push(message) },
  });
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: '0.4' };
  for (const expected of [0, 1, 1]) {
    await mounted.session.coordinator.hooks.emit('provider:response', {
      provider: 'p',
      response: { content: [], usage },
    });
    expect(shown).toHaveLength(expected);
  }
  expect(shown[0]).toMatch(/cost \$0\.8, more than the \$0\.5/);
});
