import {
  AmplifierError,
  type AmplifierModule,
  AuthenticationError,
  ContentFilterError,
  ContextLengthError,
  type JsonObject,
  NetworkError,
  ProviderUnavailableError,
  RateLimitError,
} from '@amplifier/core';
import { ScriptedProvider, type ScriptedTurn, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { delegating, delegationBench, type Scene } from '../../test-support/delegation-bench.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import type { Outcome } from '../request/outcome.js';

const PREFERENCES = [
  { provider: 'alpha', model: 'alpha-1' },
  { provider: 'beta', model: 'beta-1' },
  { provider: 'gamma', model: 'gamma-1' },
];

type Answer = (results: number, model: string) => ScriptedTurn;

/** Three providers that a child may run on, each with its own answers, beside the root's. */
async function threeProviders(
  answers: Record<'alpha' | 'beta' | 'gamma', Answer>,
  { scene, failover = false, missing }: { scene?: Scene; failover?: boolean; missing?: string } = {},
) {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const models: string[] = [];
  const providerOf = (name: 'alpha' | 'beta' | 'gamma'): AmplifierModule => ({
    mount: ({ mounts }, { priority = 100, default_model, temperature }) => {
      if (name === missing) throw new Error('it has no key');
      const model = String(default_model ?? `${name}-1`);
      mounts.mount(
        'providers',
        new ScriptedProvider(
          ({ messages }) => {
            asked.push(name);
            models.push(temperature === undefined ? model : `${model} at ${temperature}`);
            return answers[name](messages.filter(({ role }) => role === 'tool').length, model);
          },
          { name, priority: Number(priority), model, clock },
        ),
      );
    },
  });
  const bench = await delegationBench({
    clock,
    ...(scene ? { scene } : {}),
    modules: {
      'provider-alpha': providerOf('alpha'),
      'provider-beta': providerOf('beta'),
      'provider-gamma': providerOf('gamma'),
    },
    plan: {
      session: {
        orchestrator: { module: 'loop-streaming', config: { failover } },
        context: 'context-simple',
      },
      providers: [
        { module: 'provider-scripted', config: {} },
        { module: 'provider-alpha', config: {} },
        { module: 'provider-beta', config: {} },
        { module: 'provider-gamma', config: {} },
      ],
    },
  });
  return { bench, asked, models, clock };
}

const fine: Answer = () => ({ text: 'Fine.' });
const down = (error: Error): Answer => {
  return () => ({ error });
};

async function delegateOnce(
  { bench }: Awaited<ReturnType<typeof threeProviders>>,
  request: JsonObject = {},
): Promise<Outcome> {
  await using root = await bench.liveRoot();
  const delegation = await bench.delegator.delegate(
    { agent: 'explorer', instruction: 'Look.', provider_preferences: PREFERENCES, ...request },
    root.parent,
  );
  if (delegation.kind !== 'outcome') throw new Error('in the background');
  return delegation.outcome;
}

describe('a provider that is out of service', () => {
  it.each([
    ['down', new NetworkError('no route'), 'NETWORK_ERROR'],
    ['overloaded', new ProviderUnavailableError('overloaded'), 'PROVIDER_UNAVAILABLE'],
    ['out of quota', new RateLimitError('too many'), 'RATE_LIMIT'],
    ['closed to us', new AuthenticationError('bad key'), 'AUTHENTICATION'],
  ])('that is %s leaves the turn to the next candidate', async (_, error, code) => {
    const three = await threeProviders({ alpha: down(error), beta: fine, gamma: fine });
    await using bench = three.bench;
    const outcome = await delegateOnce(three);
    expect(outcome).toMatchObject({ status: 'completed', text: 'Fine.', model_used: 'beta-1' });
    expect(three.asked).toEqual(['alpha', 'beta']);
    const { session_id } = outcome;
    const facts = (await bench.store.events(session_id)).filter(({ name }) => name === 'provider:fallback');
    expect(facts.map(({ data }) => data)).toMatchObject([
      { from: PREFERENCES[0], to: PREFERENCES[1], error: { code } },
    ]);
    expect((await bench.store.messages(session_id)).map(({ role }) => role)).toEqual(['user', 'assistant']);
    const launch = (await bench.store.document(session_id, 'launch')) as JsonObject;
    expect(launch.model).toMatchObject({ chosen: PREFERENCES[0] });
  });

  it('is passed over as often as there are candidates, and the last failure counts', async () => {
    const three = await threeProviders({
      alpha: down(new NetworkError('a')),
      beta: down(new RateLimitError('b')),
      gamma: down(new AuthenticationError('c')),
    });
    await using _ = three.bench;
    const outcome = await delegateOnce(three);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'AUTHENTICATION', message: 'c' } });
    expect(outcome.fallbacks?.map(({ to }) => to.provider)).toEqual(['beta', 'gamma']);
    expect(three.asked).toEqual(['alpha', 'beta', 'gamma']);
  });

  it('is told to the model that delegated', async () => {
    const request = { agent: 'explorer', instruction: 'Look.', provider_preferences: PREFERENCES };
    const scene: Scene = (_, { calls, results }) =>
      calls === 0 ? delegating(request) : { text: results.join() };
    const three = await threeProviders(
      { alpha: down(new NetworkError('gone')), beta: fine, gamma: fine },
      { scene },
    );
    await using bench = three.bench;
    const { outcome } = await bench.root('Go.');
    const text = outcome.status === 'completed' ? outcome.text : '';
    expect(JSON.parse(text).provider_routing).toMatchObject({
      model_used: 'beta-1',
      fallbacks: [{ from: PREFERENCES[0], to: PREFERENCES[1], error: { code: 'NETWORK_ERROR' } }],
    });
  });

  it('is passed over in a later turn, too', async () => {
    let isDown = false;
    const three = await threeProviders({
      alpha: () => (isDown ? { error: new NetworkError('gone') } : { text: 'Alpha.' }),
      beta: fine,
      gamma: fine,
    });
    await using bench = three.bench;
    const first = await delegateOnce(three);
    expect(first).toMatchObject({ status: 'completed', model_used: 'alpha-1' });
    isDown = true;
    const { outcome } = await bench.delegator.resume(first.session_id, 'And now?');
    expect(outcome).toMatchObject({ status: 'completed', text: 'Fine.', model_used: 'beta-1' });
    const said = (await bench.store.messages(first.session_id)).map(({ role }) => role);
    expect(said).toEqual(['user', 'assistant', 'user', 'assistant']);
  });
});

describe('candidates of a launch', () => {
  const stepsOf = ({ fallbacks = [] }: Outcome) =>
    fallbacks.map(({ from, to }) => `${from.provider}/${from.model} ${to.provider}/${to.model}`);

  it('may be several models of one provider, each with its own settings', async () => {
    const three = await threeProviders({
      alpha: (_, model) => (model === 'alpha-3' ? { text: 'Third.' } : { error: new NetworkError('gone') }),
      beta: fine,
      gamma: fine,
    });
    await using bench = three.bench;
    const outcome = await delegateOnce(three, {
      provider_preferences: [
        { provider: 'alpha', model: 'alpha-1' },
        { provider: 'alpha', model: 'alpha-2', config: { temperature: 0.5 } },
        { provider: 'alpha', model: 'alpha-3' },
        { provider: 'beta', model: 'beta-1' },
      ],
    });
    expect(outcome).toMatchObject({ status: 'completed', text: 'Third.', model_used: 'alpha-3' });
    expect(three.models).toEqual(['alpha-1', 'alpha-2 at 0.5', 'alpha-3']);
    expect(stepsOf(outcome)).toEqual(['alpha/alpha-1 alpha/alpha-2', 'alpha/alpha-2 alpha/alpha-3']);
    const launch = (await bench.store.document(outcome.session_id, 'launch')) as unknown as LaunchRecord;
    expect(launch.plan.providers, 'the record has what was planned').toHaveLength(4);
  });

  it('are asked in their order, before other providers of the plan', async () => {
    const gone = down(new NetworkError('gone'));
    const three = await threeProviders({ alpha: gone, beta: gone, gamma: gone }, { failover: true });
    await using _ = three.bench;
    const outcome = await delegateOnce(three, { provider_preferences: PREFERENCES.toReversed() });
    expect(stepsOf(outcome)).toEqual([
      'gamma/gamma-1 beta/beta-1',
      'beta/beta-1 alpha/alpha-1',
      'alpha/alpha-1 scripted/scripted-1',
    ]);
    expect(outcome.status).toBe('completed');
  });

  it('are passed over where their provider is not mounted, with a warning', async () => {
    const three = await threeProviders(
      { alpha: down(new NetworkError('gone')), beta: fine, gamma: fine },
      { missing: 'beta' },
    );
    await using _ = three.bench;
    const outcome = await delegateOnce(three);
    expect(outcome).toMatchObject({ status: 'completed', model_used: 'gamma-1' });
    expect(stepsOf(outcome)).toEqual(['alpha/alpha-1 gamma/gamma-1']);
    expect(outcome.warnings.join()).toContain('it has no key');
  });

  it('share one session: it starts once, and its modules mount once', async () => {
    const three = await threeProviders({ alpha: down(new NetworkError('a')), beta: fine, gamma: fine });
    await using bench = three.bench;
    const { session_id } = await delegateOnce(three);
    const names = bench.events.filter(({ data }) => data.session_id === session_id).map(({ name }) => name);
    const count = (name: string) => names.filter((each) => each === name).length;
    expect([count('session:start'), count('execution:start'), count('provider:fallback')]).toEqual([1, 1, 1]);
  });

  it('do not take over from a model that was chosen for one turn', async () => {
    const three = await threeProviders({
      alpha: fine,
      beta: fine,
      gamma: down(new NetworkError('gone')),
    });
    await using bench = three.bench;
    const { session_id } = await delegateOnce(three);
    const gamma = { module: 'provider-gamma', config: { priority: 0 } };
    const providers = [gamma, 'provider-alpha', 'provider-beta'];
    const { outcome } = await bench.delegator.resume(session_id, 'And now?', { providers });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'NETWORK_ERROR' } });
    expect(three.asked).toEqual(['alpha', 'gamma']);
  });
});

describe('the default loop', () => {
  it('continues with another provider, and the outcome and the log name the step', async () => {
    const three = await threeProviders(
      { alpha: down(new NetworkError('gone')), beta: fine, gamma: fine },
      { failover: true },
    );
    await using bench = three.bench;
    const outcome = await delegateOnce(three);
    const step = { from: PREFERENCES[0], error: { code: 'NETWORK_ERROR' } };
    expect(outcome).toMatchObject({ status: 'completed', fallbacks: [step] });
    const events = await bench.store.events(outcome.session_id);
    const facts = events.filter(({ name }) => name === 'provider:fallback');
    expect(facts.map(({ data }) => data)).toMatchObject([step]);
  });
});

describe('no other model takes over', () => {
  const look: ScriptedTurn = { text: 'I look.', tool_calls: [{ name: 'echo' }] };

  it.each([false, true])('after a tool has run (failover: %s)', async (failover) => {
    const three = await threeProviders(
      {
        alpha: (results) => (results === 0 ? look : { error: new NetworkError('lost it') }),
        beta: fine,
        gamma: fine,
      },
      { failover },
    );
    await using _ = three.bench;
    expect(await delegateOnce(three)).toMatchObject({ status: 'failed', error: { code: 'NETWORK_ERROR' } });
    expect(three.asked).toEqual(['alpha', 'alpha']);
  });

  it.each([
    ['refuses', new ContentFilterError('not this'), 'refused', ['alpha']],
    // The loop sends a shorter view once.
    ['finds the request too long', new ContextLengthError('too long'), 'failed', ['alpha', 'alpha']],
    ['fails with an unknown error', new TypeError('oops'), 'failed', ['alpha']],
  ])('when the model %s', async (_, error, status, asked) => {
    const three = await threeProviders({ alpha: down(error), beta: fine, gamma: fine });
    await using _bench = three.bench;
    const outcome = await delegateOnce(three);
    expect(outcome).toMatchObject({ status });
    expect(outcome.fallbacks).toBeUndefined();
    expect(three.asked).toEqual(asked);
  });

  it('when the call ran out of time', async () => {
    const three = await threeProviders({ alpha: () => ({ hang: true }), beta: fine, gamma: fine });
    await using bench = three.bench;
    await using root = await bench.liveRoot();
    const running = bench.delegator.delegate(
      { agent: 'explorer', instruction: 'Look.', provider_preferences: PREFERENCES, timeout: 10 },
      root.parent,
    );
    while (three.asked.length === 0) await new Promise(setImmediate);
    await three.clock.advance(11_000);
    expect(await running).toMatchObject({ outcome: { status: 'limit', limit: { kind: 'time' } } });
    expect(three.asked).toEqual(['alpha']);
  });
});

describe('denied', () => {
  const denying = (code: string): AmplifierModule => ({
    mount: ({ hooks }) => {
      hooks.register('execution:start', (_, data) =>
        data.prompt === 'Look.' ? { action: 'deny', reason: 'no' } : { action: 'continue' },
      );
    },
    onSessionReady: ({ mounts }) => {
      const loop = mounts.one('orchestrator');
      if (!loop) return;
      mounts.mount('orchestrator', {
        execute: async (prompt, runtime) => {
          const { action } = await runtime.hooks.emit('execution:start', { prompt });
          if (action === 'deny') throw new AmplifierError('A hook does not allow this.', { code });
          return loop.execute(prompt, runtime);
        },
      });
    },
  });

  it.each(['PROMPT_DENIED', 'REQUEST_DENIED', 'PATH_DENIED'])(
    'is the outcome when a hook of the app or the grant refuses the work (%s)',
    async (code) => {
      await using bench = await delegationBench({
        modules: { 'hooks-deny': denying(code) },
        plan: { hooks: ['hooks-deny'] },
        scene: (_, { calls, results, prompt }) =>
          prompt === 'Go.' && calls === 0
            ? delegating({ agent: 'explorer', instruction: 'Look.', context_depth: 'none' })
            : { text: results.join() },
      });
      const { outcome } = await bench.root('Go.');
      const result = JSON.parse(outcome.status === 'completed' ? outcome.text : '{}');
      expect(result).toMatchObject({ status: 'denied', error: { code } });
      expect((await bench.store.metadata(result.session_id)).status).toBe('failed');
      const ends = bench.events.filter(({ name }) => name === 'delegate:error');
      expect(ends.map(({ data }) => [data.status, data.error_code])).toEqual([['denied', code]]);
    },
  );

  it('is the status of a delegation that the grant does not allow, and no child is made', async () => {
    await using bench = await delegationBench({
      scene: (_, { calls, results }) =>
        calls === 0 ? delegating({ agent: 'explorer', instruction: 'Look.' }) : { text: results.join() },
    });
    const { outcome, session_id } = await bench.root('Go.', {
      grant: {
        version: 1,
        read: { allow: ['/'], deny: [] },
        write: { allow: [], deny: [] },
        exec: 'none',
        network: false,
        delegate: false,
        spend: null,
      },
    });
    const result = JSON.parse(outcome.status === 'completed' ? outcome.text : '{}');
    expect(result).toMatchObject({ status: 'denied', session_id: null, agent: 'explorer' });
    expect(await bench.store.children(session_id)).toEqual([]);
  });
});
