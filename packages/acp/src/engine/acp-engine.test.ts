import { CancellationToken } from '@amplifier/core';
import { describe, expect, it } from 'vitest';
import { acpBench, acpFacts, NOTHING, sandbox, triggeredClock } from '../../test-support/acp-bench.js';

describe('one turn of an external agent', () => {
  it('ends in the agent’s answer, with usage, transcript and events', async () => {
    await using bench = await acpBench();
    const seen: string[] = [];
    const outcome = await bench.run(
      '!say Let me look. \n!tool read a.txt\n!say It says one.\n!usage 120 30',
      {
        onEvent: (name) => void seen.push(name),
      },
    );
    expect(outcome).toMatchObject({
      status: 'completed',
      text: 'It says one.',
      agent: 'acp:chaos',
      usage: { input_tokens: 120, output_tokens: 30, total_tokens: 150 },
    });
    const steps = ['acp:step', 'acp:step', 'acp:step'];
    expect(seen).toEqual([...steps, 'content_block:delta', 'tool:pre', 'tool:post', 'content_block:delta']);
    const lines = await bench.store.tail(outcome.session_id, 10);
    expect(lines.map(({ role, content }) => [role, content])).toEqual([
      ['user', expect.stringContaining('!say')],
      ['assistant', 'Let me look.'],
      ['tool', 'completed'],
      ['assistant', 'It says one.'],
    ]);
    expect((await bench.store.metadata(outcome.session_id)).usage.total_tokens).toBe(150);
    expect(acpFacts(outcome)).toMatchObject({
      agent: 'chaos',
      stop_reason: 'end_turn',
      sandbox: sandbox.name,
    });
    expect(await bench.leftovers()).toEqual(NOTHING);
  });

  it('finds the usage wherever the agent puts it', async () => {
    await using bench = await acpBench();
    for (const place of ['usage', 'usage_meta', 'usage_chunk']) {
      const outcome = await bench.run(`!say Hello.\n!${place} 7 3`);
      expect(outcome.usage, place).toMatchObject({ input_tokens: 7, output_tokens: 3, total_tokens: 10 });
    }
    expect((await bench.run('!say Hello.\n!cost 0.25')).cost).toBe('0.25');
  });

  it('scrubs the environment and counts the depth', async () => {
    await using bench = await acpBench({ env: { MY_SECRET_TOKEN: 'x', CHAOS_KEY: 'mine' } });
    const outcome = await bench.run('!env MY_SECRET_TOKEN\n!env CHAOS_KEY\n!env AMPLIFIER_DEPTH');
    expect(outcome).toMatchObject({ text: 'MY_SECRET_TOKEN=. CHAOS_KEY=mine. AMPLIFIER_DEPTH=1.' });
  });

  it('is refused when agents are too deep in agents, or when the depth was tampered with', async () => {
    for (const depth of ['3', 'lots']) {
      await using bench = await acpBench({ env: { AMPLIFIER_DEPTH: depth } });
      const outcome = await bench.run('!say Hello.');
      expect(outcome).toMatchObject({ status: 'denied', error: { code: 'MAX_DEPTH_EXCEEDED' } });
    }
  });

  it('forwards MCP servers, and those on the network only to agents that can reach them', async () => {
    await using bench = await acpBench();
    const mcp_servers = [
      { name: 'local', command: '/bin/true', args: [], env: [] },
      { type: 'http', name: 'remote', url: 'http://127.0.0.1:1', headers: [] },
      { type: 'sse', name: 'old', url: 'http://127.0.0.1:1', headers: [] },
    ];
    const outcome = await bench.run('!about', { metadata: { acp: { mcp_servers } } });
    expect(outcome).toMatchObject({ text: expect.stringContaining('"mcp_servers":["local","remote"]') });
  });
});

describe('whatever the agent does, the turn ends in the right outcome and nothing is left behind', () => {
  const slow = { handshake_ms: 400 };
  const cases: [
    name: string,
    options: Parameters<typeof acpBench>[0],
    prompt: string,
    expected: Record<string, unknown>,
  ][] = [
    [
      'is not installed',
      { chaos: { command: ['no-such-agent'] } },
      '',
      { status: 'failed', error: { code: 'ACP_SPAWN_FAILED' } },
    ],
    [
      'dies at the start',
      { flags: ['--exit-at-start', '3'] },
      '',
      {
        error: {
          code: 'ACP_HANDSHAKE_FAILED',
          message: expect.stringContaining('chaos: cannot start, API_KEY=[REDACTED]'),
        },
      },
    ],
    [
      'never shakes hands',
      { flags: ['--no-handshake'], chaos: slow },
      '',
      { error: { code: 'ACP_HANDSHAKE_FAILED' } },
    ],
    [
      'never opens a session',
      { flags: ['--no-session'], chaos: slow },
      '',
      { error: { code: 'ACP_HANDSHAKE_FAILED' } },
    ],
    [
      'shakes hands late',
      { flags: ['--handshake-delay', '50'] },
      '!say Here.',
      { status: 'completed', text: 'Here.' },
    ],
    [
      'speaks another version',
      { flags: ['--protocol', '9'] },
      '',
      { error: { code: 'ACP_HANDSHAKE_FAILED' } },
    ],
    [
      'wants a login',
      { flags: ['--needs-login'], chaos: { login: 'chaos login' } },
      '',
      { error: { code: 'AUTH_REQUIRED', message: expect.stringContaining('Run: chaos login') } },
    ],
    ['sends half a frame and goes', {}, '!half', { status: 'failed', error: { code: 'ACP_TURN_ERROR' } }],
    ['sends an update of 5 MB', {}, '!big 5', { status: 'completed' }],
    [
      'prints junk between the frames',
      {},
      '!junk Warning: {not json\n!say Fine.',
      { status: 'completed', text: 'Fine.' },
    ],
    ['sends updates nobody knows', {}, '!unknown\n!say Fine.', { status: 'completed', text: 'Fine.' }],
    ['storms for permissions', {}, '!storm 200', { status: 'completed', text: '0 of 200 allowed' }],
    [
      'exits with 137',
      {},
      '!say So far \n!stderr out of memory\n!exit 137',
      {
        status: 'failed',
        partial_text: 'So far',
        error: { code: 'ACP_TURN_ERROR', message: expect.stringMatching(/137.*out of memory/s) },
      },
    ],
    [
      'prints secrets on its error output and dies',
      { env: { CHAOS_GATE_PASSWORD: 'correct horse battery' } },
      `!stderr sk-${'a1'.repeat(12)} ghp_${'b2'.repeat(18)} AKIAIOSFODNN7EXAMPLE correct horse battery\n!exit 3`,
      {
        status: 'failed',
        error: {
          message: expect.stringContaining('ends: [REDACTED] [REDACTED] [REDACTED] [REDACTED]'),
        },
        artifacts: [{ stderr: '[REDACTED] [REDACTED] [REDACTED] [REDACTED]' }],
      },
    ],
    [
      'puts secrets into an error of its own',
      { env: { CHAOS_GATE_PASSWORD: 'correct horse battery' } },
      `!error -32603 sk-${'a1'.repeat(12)} and correct horse battery`,
      { status: 'failed', error: { message: expect.stringContaining('[REDACTED] and [REDACTED]') } },
    ],
    [
      'answers with an error of its provider',
      {},
      '!say {"error":{"message":"rate limited","code":429}}',
      {
        status: 'failed',
        error: { code: 'ACP_ERROR_ANSWER', message: expect.stringContaining('rate limited') },
      },
    ],
    [
      'says that its provider failed, and the error as an answer',
      {},
      '!thread active\n!thread systemError\n!say unexpected status 403 Forbidden',
      {
        status: 'failed',
        error: { code: 'ACP_ERROR_ANSWER', message: expect.stringContaining('403 Forbidden') },
      },
    ],
    [
      'recovers from a failure of its provider',
      {},
      '!thread systemError\n!thread active\n!say Four.\n!thread idle',
      { status: 'completed', text: 'Four.' },
    ],
    [
      'wants a login only when it is asked something',
      { chaos: { login: 'chaos login' } },
      '!error -32000 Authentication required',
      {
        error: { code: 'AUTH_REQUIRED', message: expect.stringContaining('Run: chaos login') },
        artifacts: [{ reexecution_safety: 'safe' }],
      },
    ],
    [
      'says as an answer that it is not let in',
      { chaos: { login: 'chaos login', error_answers: ['^API Error: \\d{3}'] } },
      '!say API Error: 401 invalid key',
      {
        error: { code: 'AUTH_REQUIRED', message: expect.stringContaining('Run: chaos login') },
        artifacts: [{ reexecution_safety: 'safe' }],
      },
    ],
    [
      'has an error pattern that cannot be used',
      { chaos: { error_answers: ['(?!x)y'] } },
      '!say Fine.',
      {
        status: 'failed',
        error: { code: 'ROSTER_INVALID', message: expect.stringContaining("The pattern '(?!x)y' cannot be") },
      },
    ],
    [
      'answers with a text that a pattern with backtracking does not finish on',
      { chaos: { error_answers: ['^(a+)+$'] } },
      `!say ${'a'.repeat(30)}!`,
      { status: 'completed' },
    ],
    [
      'fails with every tool call and says that all is well',
      {},
      '!tool_fails no such file\n!tool_fails no such folder\n!say All done.',
      { status: 'completed', warnings: [expect.stringMatching(/Every tool call.*\(2\).*no such folder/)] },
    ],
    [
      'fails with one tool call and mends it',
      {},
      '!tool_fails no such file\n!tool read notes\n!say All done.',
      { status: 'completed', warnings: [] },
    ],
    [
      'answers with an error of its own',
      {},
      '!error -32603 boom',
      { status: 'failed', error: { code: 'ACP_TURN_ERROR', message: expect.stringContaining('boom') } },
    ],
    ['says nothing', {}, '!think hm', { status: 'failed', error: { code: 'ACP_EMPTY_ANSWER' } }],
    ['refuses', {}, '!stop refusal', { status: 'refused', error: { code: 'ACP_REFUSED' } }],
    [
      'is cut off',
      {},
      '!say Once upon\n!stop max_tokens',
      { status: 'limit', limit: { kind: 'output' }, partial_text: 'Once upon' },
    ],
    [
      'makes too many requests',
      {},
      '!say Once\n!stop max_turn_requests',
      { status: 'limit', limit: { kind: 'turns' } },
    ],
    [
      'cancels by itself',
      {},
      '!say Once\n!stop cancelled',
      { status: 'failed', error: { code: 'ACP_TURN_ERROR' } },
    ],
    [
      'stops for a reason nobody knows',
      {},
      '!say Once\n!stop lunch',
      { status: 'failed', error: { code: 'ACP_TURN_ERROR' } },
    ],
    [
      'ignores the end of its input and SIGTERM',
      { flags: ['--ignore-eof', '--ignore-sigterm'] },
      '!say Still here.',
      { status: 'completed', text: 'Still here.' },
    ],
    ['leaves a daemon behind', {}, '!daemon', { status: 'completed' }],
    ['leaves a daemon behind and dies', {}, '!daemon\n!exit 1', { status: 'failed' }],
  ];

  it.each(cases)('%s', async (_name, options, prompt, expected) => {
    await using bench = await acpBench(options);
    expect(await bench.run(prompt || '!say Hello.')).toMatchObject(expected);
    expect(await bench.leftovers()).toEqual(NOTHING);
    expect(await bench.repo.git('status', '--porcelain')).toBe('');
  });

  it.each([
    ['answers a cancel', '!say Half\n!wait'],
    ['does not answer a cancel', '!say Half\n!hang'],
  ])('is cancelled, whether the agent %s', async (_name, prompt) => {
    await using bench = await acpBench();
    const cancellation = new CancellationToken();
    const outcome = await bench.run(prompt, {
      cancellation,
      onEvent: (name) => name === 'content_block:delta' && cancellation.request('immediate'),
    });
    expect(outcome).toMatchObject({ status: 'cancelled', partial_text: 'Half' });
    expect(await bench.leftovers()).toEqual(NOTHING);
  });

  it('is cancelled before the agent has shaken hands', async () => {
    await using bench = await acpBench({ flags: ['--no-handshake'] });
    const cancellation = new CancellationToken();
    const running = bench.run('!say Hello.', { cancellation });
    setImmediate(() => cancellation.request('immediate'));
    expect(await running).toMatchObject({ status: 'cancelled' });
    expect(await bench.leftovers()).toEqual(NOTHING);
  });

  it.each([
    ['runs out of time', { timeout: 77, stall: null }, { status: 'limit', limit: { kind: 'time' } }],
    ['stalls', { stall: 77, timeout: null }, { status: 'stalled' }],
  ])('%s, with what was said so far', async (_name, limits, expected) => {
    const clock = triggeredClock(77_000);
    await using bench = await acpBench({ engine: { clock } });
    const outcome = await bench.run('!say Half\n!hang', {
      limits,
      onEvent: (name) => name === 'content_block:delta' && clock.fire(),
    });
    expect(outcome).toMatchObject({ ...expected, partial_text: 'Half' });
    expect(await bench.leftovers()).toEqual(NOTHING);
  });
});
