import { writeFileSync } from 'node:fs';
import { access, truncate } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { NoSandbox, undoApply } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import { acpBench, acpFacts, NOTHING, patchOf, sandbox } from '../../test-support/acp-bench.js';

const none = new NoSandbox('This test has none.');
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('read_only', () => {
  it.runIf(sandbox.name !== 'none')(
    'leaves the disk alone even when the agent writes without asking',
    async () => {
      await using bench = await acpBench();
      await using outside = await TempWorkspace.create();
      const elsewhere = outside.resolve('elsewhere.txt');
      const outcome = await bench.run(`!write b.txt hello\n!write a.txt two\n!write ${elsewhere} x`);
      expect(outcome).toMatchObject({
        status: 'completed',
        text: expect.stringMatching(/could not write b\.txt.*could not write a\.txt/),
        warnings: [],
      });
      expect(await bench.repo.read('a.txt')).toBe('one\n');
      expect(await exists(bench.repo.resolve('b.txt'))).toBe(false);
      expect(await exists(elsewhere)).toBe(false);
    },
  );

  it.runIf(sandbox.name !== 'none')(
    'switches off a sandbox of the agent’s own, which could not start inside ours',
    async () => {
      const flags = ['--modes', 'careful,full'];
      await using bench = await acpBench({ flags, chaos: { confined_lever: { mode: 'full' } } });
      const free = await bench.run('!shell cat a.txt\n!say All done.');
      expect(free).toMatchObject({ status: 'completed', warnings: [] });
      expect((await bench.store.tail(free.session_id, 3)).map(({ content }) => content)).toContain('one\n');
      const writes = await bench.run('!shell echo two > a.txt\n!say All done.');
      expect(writes.warnings).toEqual([expect.stringMatching(/Every tool call.*Read-only file system/s)]);
      expect(await bench.repo.read('a.txt')).toBe('one\n');
    },
  );

  it.runIf(sandbox.name !== 'none')(
    'says so when an agent’s own sandbox made every tool call fail',
    async () => {
      await using bench = await acpBench({ flags: ['--modes', 'careful,full'] });
      const outcome = await bench.run('!shell cat a.txt\n!say All done.');
      expect(outcome.warnings).toEqual([expect.stringMatching(/Every tool call.*bwrap/s)]);
    },
  );

  it('says which guarantee is missing without a sandbox, and finds out that something was written', async () => {
    await using bench = await acpBench({ engine: { sandbox: none } });
    const quiet = await bench.run('!say Hello.');
    expect(quiet).toMatchObject({
      status: 'completed',
      warnings: [expect.stringContaining('own manners'), expect.stringContaining('outlive')],
    });
    const loud = await bench.run('!write b.txt hello');
    expect(loud).toMatchObject({
      status: 'failed',
      error: { code: 'READONLY_VIOLATED', message: expect.stringContaining('b.txt') },
    });
    expect(acpFacts(loud)).toMatchObject({ sandbox: 'none', reexecution_safety: 'side_effected' });
  });

  it('reads nothing of the host process for the agent', async () => {
    await using bench = await acpBench();
    const outcome = await bench.run(
      '!fs_read /proc/self/environ\n!fs_read /dev/../proc/self/status\n!say Done.',
    );
    expect(outcome).toMatchObject({
      text: expect.stringMatching(/\/proc is denied.*\/proc is denied.*Done\./s),
    });
    expect(JSON.stringify(outcome)).not.toContain('PATH=');
  });

  it('lets the agent look and refuses it to change, with an answer that lets the turn go on', async () => {
    await using bench = await acpBench();
    const outcome = await bench.run('!ask read a.txt\n!ask edit a.txt\n!ask switch_mode\n!ask other');
    expect(outcome).toMatchObject({ status: 'completed', text: '[decline]' });
    expect(acpFacts(outcome).refused).toHaveLength(3);
    const { events } = { events: await bench.store.events(outcome.session_id) };
    expect(events.filter(({ name }) => name === 'approval:granted')).toHaveLength(1);
    expect(events.filter(({ name }) => name === 'approval:denied')).toHaveLength(3);
  });

  it('is denied, not cancelled or empty, when a refusal ends the turn', async () => {
    await using bench = await acpBench({ engine: { sandbox: none } });
    expect(await bench.run('!ask_abort')).toMatchObject({
      status: 'denied',
      error: { code: 'ACP_DENIED', message: expect.stringContaining('execute') },
    });
  });

  it('never takes an option nobody knows for a yes', async () => {
    await using bench = await acpBench();
    const outcome = await bench.run('!ask_odd', { safety_mode: 'write' });
    expect(outcome).toMatchObject({ text: '[cancelled]' });
  });

  it('serves files and terminals through the client: reads yes, writes no', async () => {
    await using bench = await acpBench();
    const outcome = await bench.run('!fs_read a.txt\n!fs_write b.txt hello\n!terminal cat a.txt');
    expect(outcome).toMatchObject({
      text: expect.stringMatching(/^one\s+refused: Writing .*b\.txt is not allowed.*exit 0: one\.$/s),
    });
    expect(await bench.repo.git('status', '--porcelain')).toBe('');
  });
});

describe('what an agent can make the host keep in memory', () => {
  it('is at most the lines that it asks for of a file', async () => {
    await using bench = await acpBench();
    await bench.repo.write('huge.log', 'first\nsecond\r\nthird\n');
    // Sparse, and longer than any string: it cannot be read whole.
    await truncate(bench.repo.resolve('huge.log'), 3 * 1024 ** 3);
    await bench.repo.write('small.txt', 'ä\nb\n');
    const reads = ['huge.log 2 1', 'huge.log 1 2', 'huge.log', 'huge.log 4 1', 'huge.log 9 1'];
    const small = [
      'small.txt',
      'small.txt 2',
      'small.txt 2 9',
      'small.txt 3 1',
      'small.txt 4 1',
      'small.txt 1 0',
    ];
    const outcome = await bench.run([...reads, ...small].map((read) => `!fs_read_lines ${read}`).join('\n'));
    const { text } = outcome as { text: string };
    expect(text).toMatch(
      /^"second\\r"\. "first\\nsecond\\r"\. (refused: What was asked for of .*){2}refused: .* beyond its first/,
    );
    expect(text.slice(text.indexOf('"ä'))).toBe('"ä\\nb\\n". "b\\n". "b\\n". "". "". "".');
  });

  it('is at most a megabyte of the output of a terminal, whatever limit it names', async () => {
    await using bench = await acpBench();
    const script =
      'for (let i = 0; i < 1200; i++) process.stdout.write("x".repeat(2 ** 16)); console.log("€ends")';
    const ask = (outputByteLimit?: unknown) =>
      `!terminal_request ${JSON.stringify({ command: 'node', args: ['-e', script], outputByteLimit })}`;
    const outcome = await bench.run([ask(1e12), ask('all'), ask(7)].join('\n'));
    const { text } = outcome as { text: string };
    expect(text.match(/truncated to \d+/g)).toEqual([
      ...Array(2).fill('truncated to 1048573'),
      'truncated to 4',
    ]);
    expect(text).toMatch(/xxx€ends\..*xxx€ends\..*truncated to \d, ends\.$/s);
  });
});

describe('propose', () => {
  it('returns the patch and applies nothing', async () => {
    await using bench = await acpBench();
    const outcome = await bench.run('!ask edit a.txt\n!write a.txt two\n!write b.txt new\n!say Done.', {
      safety_mode: 'propose',
      trusted: false,
    });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('Done.') });
    expect(patchOf(outcome)).toMatchObject({
      applied: false,
      changes: [
        { path: 'a.txt', kind: 'modified' },
        { path: 'b.txt', kind: 'added' },
      ],
      diff: expect.stringContaining('+two'),
    });
    expect(await bench.repo.git('status', '--porcelain')).toBe('');
    expect((await bench.leftovers()).processes).toEqual([]);
  });

  it.runIf(sandbox.name !== 'none')('cannot reach the user’s tree by its full path', async () => {
    await using bench = await acpBench();
    // In a temporary folder the sandbox shows the agent an empty one of its own, and it may well believe it has written.
    const outcome = await bench.run(`!write ${bench.repo.resolve('a.txt')} two`, { safety_mode: 'propose' });
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(await bench.repo.read('a.txt')).toBe('one\n');
  });

  it('refuses commands where no sandbox holds them', async () => {
    await using bench = await acpBench({ engine: { sandbox: none } });
    const outcome = await bench.run('!ask execute', { safety_mode: 'propose' });
    expect(outcome).toMatchObject({ text: '[decline]' });
  });
});

describe('write and yolo', () => {
  it.each(['write', 'yolo'] as const)(
    '%s applies the work, all of it, and it can be taken back',
    async (safety_mode) => {
      await using bench = await acpBench();
      const outcome = await bench.run(
        '!ask edit a.txt\n!write a.txt two\n!fs_write sub/b.txt new\n!say Done.',
        { safety_mode },
      );
      expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('[allow]') });
      expect(await bench.repo.read('a.txt')).toBe('two\n');
      expect(await bench.repo.read('sub/b.txt')).toBe('new\n');
      expect(await bench.leftovers()).toEqual(NOTHING);
      const { applied, apply_id } = patchOf(outcome);
      expect(applied).toBe(true);
      await undoApply(String(apply_id), { home: bench.isolationHome });
      expect(await bench.repo.git('status', '--porcelain')).toBe('');
    },
  );

  it('needs a trusted folder, and starts nothing without one', async () => {
    await using bench = await acpBench();
    const outcome = await bench.run('!write a.txt two', { safety_mode: 'write', trusted: false });
    expect(outcome).toMatchObject({
      status: 'denied',
      error: { code: 'WORKSPACE_NOT_TRUSTED' },
      turn_count: 0,
    });
  });

  it('keeps what a failed turn did, in its own tree, and applies nothing of it', async () => {
    await using bench = await acpBench();
    const outcome = await bench.run('!write a.txt two\n!exit 1', { safety_mode: 'write' });
    expect(outcome).toMatchObject({ status: 'failed' });
    expect(patchOf(outcome)).toMatchObject({ applied: false, diff: expect.stringContaining('+two') });
    expect(await bench.repo.read('a.txt')).toBe('one\n');
    expect((await bench.leftovers()).trees).toEqual([patchOf(outcome).isolation_id]);
  });

  it('applies nothing over changes that somebody made meanwhile', async () => {
    await using bench = await acpBench();
    const outcome = await bench.run('!say Working.\n!write a.txt two', {
      safety_mode: 'write',
      onEvent: (name) =>
        name === 'content_block:delta' && writeFileSync(bench.repo.resolve('a.txt'), 'mine\n'),
    });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'APPLY_CONFLICT' } });
    expect(await bench.repo.read('a.txt')).toBe('mine\n');
    expect(patchOf(outcome)).toMatchObject({ applied: false, conflicts: ['a.txt'] });
  });

  it.runIf(sandbox.name !== 'none')(
    'lets commands run in the sandbox only, and nowhere outside the tree',
    async () => {
      await using bench = await acpBench();
      await using outside = await TempWorkspace.create();
      const touch = `!terminal touch made.txt\n!terminal touch ${outside.resolve('made.txt')}`;
      const outcome = await bench.run(touch, { safety_mode: 'write' });
      expect(outcome).toMatchObject({ text: expect.stringMatching(/exit 0.*exit 1/s) });
      expect(await exists(bench.repo.resolve('made.txt'))).toBe(true);
      expect(await exists(outside.resolve('made.txt'))).toBe(false);
    },
  );

  it('asks a person where the grant leaves it open, and goes by the answer', async () => {
    for (const answer of ['allow', 'deny']) {
      await using bench = await acpBench({
        engine: {
          sandbox: none,
          onQuestion: ({ session_id, id }) => void bench.delegator.control.answer(session_id, id, answer),
        },
      });
      const outcome = await bench.run('!ask execute', { safety_mode: 'write' });
      expect(outcome).toMatchObject({ text: answer === 'allow' ? '[allow]' : '[decline]' });
    }
  });
});

it('kills what an agent left behind also without a sandbox', async () => {
  await using bench = await acpBench({ engine: { sandbox: none } });
  const outcome = await bench.run('!daemon');
  expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('daemon') });
  expect(await bench.leftovers()).toEqual(NOTHING);
});
