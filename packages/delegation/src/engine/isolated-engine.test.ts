import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import { checkGrant, FULL_GRANT, type Grant, listProposals, pathScope } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import { delegating, delegationBench, type Scene } from '../../test-support/delegation-bench.js';
import type { LaunchRecord } from '../plan/launch-record.js';

/** The root delegates to a writer, which writes one file where it works. */
const scene: Scene = (_, { system, calls, prompt }) => {
  if (system.includes('root')) {
    // A task for a session, or for a new one.
    const [instruction = '', session_id] = prompt.split(' > ');
    return calls === 0
      ? delegating({ instruction, ...(session_id ? { session_id } : { agent: 'explorer' }) })
      : { text: 'Handed over.' };
  }
  return calls === 0 && !prompt.includes('Only look.')
    ? { text: 'Writing.', tool_calls: [{ name: 'write', arguments: { text: prompt } }] }
    : { text: 'Written.' };
};

const writeTool = {
  name: 'write',
  description: 'Writes notes.txt where the session works.',
  inputSchema: { type: 'object' },
  execute: async (
    { text }: Record<string, unknown>,
    { coordinator }: { coordinator: { getCapability(name: string): unknown } },
  ) => {
    const cwd = coordinator.getCapability('session.working_dir') as string;
    const grant = coordinator.getCapability('session.grant') as Parameters<typeof checkGrant>[0];
    const path = join(cwd, 'notes.txt');
    if (!checkGrant(grant, { kind: 'write', path }).allowed) return { success: false, output: 'not allowed' };
    await writeFile(path, `${text}\n`);
    return { success: true, output: path };
  },
};

async function proposal(task = 'Write it.', grant?: Grant) {
  const repo = await TempGitRepo.create({ 'a.txt': 'one\n' });
  const home = await TempWorkspace.create();
  const bench = await delegationBench({ scene, tools: [writeTool as never], isolationHome: home.path });
  const { session_id, outcome } = await bench.root(task, {
    cwd: repo.path,
    safety_mode: 'propose',
    ...(grant ? { grant } : {}),
  });
  const [child] = await bench.store.children(session_id);
  return {
    repo,
    bench,
    home: home.path,
    root: session_id,
    outcome,
    child: child?.session_id ?? '',
    async [Symbol.asyncDispose]() {
      for (const resource of [bench, home, repo]) await resource[Symbol.asyncDispose]();
    },
  };
}

describe('a child in a tree of its own', () => {
  it('leaves the user’s tree alone and hands back a patch, in propose', async () => {
    await using proposed = await proposal();
    const { bench, child, repo } = proposed;
    const { last_outcome } = await bench.store.metadata(child);
    const outcome = last_outcome?.outcome as { artifacts: Record<string, unknown>[]; status: string };
    expect(outcome.status).toBe('completed');
    expect(outcome.artifacts).toMatchObject([
      { kind: 'patch', applied: true, changes: [{ path: 'notes.txt', kind: 'added' }] },
    ]);
    // In the tree of the session above, that is.
    expect(outcome.artifacts[0]?.target).toContain(proposed.home);
    expect(String(outcome.artifacts[0]?.diff)).toContain('+Write it.');
    await expect(readFile(repo.resolve('notes.txt'))).rejects.toThrow('ENOENT');
    expect(await repo.git('status', '--porcelain')).toBe('');
  });

  it('finds its work again when it is resumed', async () => {
    await using proposed = await proposal();
    const { bench, child } = proposed;
    const { outcome } = await bench.delegator.resume(child, 'And again.');
    expect(outcome.artifacts).toMatchObject([
      { kind: 'patch', changes: [{ path: 'notes.txt', kind: 'modified' }] },
    ]);
    expect(String(outcome.artifacts[0]?.diff)).toContain('+And again.');
  });

  it('has its changes handed back by the session above, which alone proposes them to the user', async () => {
    await using proposed = await proposal();
    const { repo, outcome, home } = proposed;
    expect(outcome.artifacts).toMatchObject([
      { kind: 'patch', target: repo.path, applied: false, changes: [{ path: 'notes.txt', kind: 'added' }] },
    ]);
    const [only, ...more] = await listProposals(home);
    expect(only).toMatchObject({ state: 'proposed', target: repo.path, session_id: proposed.root });
    expect(more).toEqual([]);
  });

  it('works where the session above is now when it is resumed, though the tree it began in is gone', async () => {
    await using proposed = await proposal('Only look.');
    const { bench, child, root, repo } = proposed;
    expect(proposed.outcome.artifacts).toMatchObject([{ changes: [] }]);
    const { outcome } = await bench.delegator.resume(root, `Now write. > ${child}`);
    expect(outcome.artifacts).toMatchObject([{ target: repo.path, changes: [{ path: 'notes.txt' }] }]);
    expect(String(outcome.artifacts[0]?.diff)).toContain('+Now write.');
  });

  it('proposes by itself when somebody else resumes it and the tree it began in is gone', async () => {
    await using proposed = await proposal('Only look.');
    const { bench, child, repo } = proposed;
    const { outcome } = await bench.delegator.resume(child, 'Now write.');
    expect(outcome.artifacts).toMatchObject([{ target: repo.path, changes: [{ path: 'notes.txt' }] }]);
    await expect(readFile(repo.resolve('notes.txt'))).rejects.toThrow('ENOENT');
  });

  it('may not read what it was denied at launch when it is resumed and the tree it began in is gone', async () => {
    const read = pathScope(['/'], ['/secrets'], { deny_globs: ['/**/*.pem'] });
    await using proposed = await proposal('Only look.', { ...FULL_GRANT, read });
    const { bench, child } = proposed;
    await bench.delegator.resume(child, 'Now write.');
    const { extra } = await bench.store.metadata(child);
    const { grant } = extra.turn_start as { grant: Grant };
    expect(checkGrant(grant, { kind: 'read', path: '/secrets/key' }).allowed).toBe(false);
    expect(checkGrant(grant, { kind: 'read', path: '/srv/server.pem' }).allowed).toBe(false);
    expect(checkGrant(grant, { kind: 'read', path: '/srv/a.txt' }).allowed).toBe(true);
  });
});

describe('propose without an isolated tree', () => {
  it('is refused for whatever reason the session works in propose, and on resume', async () => {
    await using home = await TempWorkspace.create();
    const roster = {
      proposer: { description: 'Proposes.', instruction: 'You propose.', safety_mode: 'propose' },
    };
    await using bench = await delegationBench({ roster, isolationHome: home.path });
    await using root = await bench.liveRoot({ safety_mode: 'write' });
    const refused = (request: object) =>
      expect(
        bench.delegator.delegate({ instruction: 'x', isolation: 'none', ...request }, root.parent),
      ).rejects.toMatchObject({
        code: 'ISOLATION_REQUIRED',
        message: expect.stringMatching(/isolated tree.*Omit isolation/),
      });
    await refused({ agent: 'self', safety_mode: 'propose' });
    await refused({ agent: 'proposer' });
    const { launch } = await bench.delegator.delegate(
      { agent: 'self', instruction: 'x', safety_mode: 'propose' },
      root.parent,
    );
    await refused({ session_id: launch.session_id });
    expect(launch.workspace.isolation).toBe('worktree');
  });

  it('never gives a launch the right to write in the user’s folder', async () => {
    await using proposed = await proposal();
    const { bench, root, child, repo } = proposed;
    for (const id of [root, child]) {
      const { grant } = (await bench.store.document(id, 'launch')) as unknown as LaunchRecord;
      expect(checkGrant(grant, { kind: 'write', path: repo.resolve('notes.txt') }).allowed).toBe(false);
    }
  });

  it('is not resumed in the user’s folder from a record of an earlier version', async () => {
    await using proposed = await proposal('Only look.');
    const { bench, root, child, repo } = proposed;
    const launch = (await bench.store.document(root, 'launch')) as unknown as LaunchRecord;
    const old = { ...launch, workspace: { ...launch.workspace, isolation: 'none' } };
    await using log = await bench.store.open(root);
    await log.putDocument('launch', { ...old, grant: { ...launch.grant, write: pathScope([repo.path]) } });
    await log.close();
    const { outcome } = await bench.delegator.resume(root, `Now write. > ${child}`);
    expect(outcome.artifacts).toMatchObject([{ target: repo.path, changes: [{ path: 'notes.txt' }] }]);
    await expect(readFile(repo.resolve('notes.txt'))).rejects.toThrow('ENOENT');
  });
});
