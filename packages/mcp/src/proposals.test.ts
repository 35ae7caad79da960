import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chaosAgentCommand } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { errorOf, McpScene } from '../test-support/mcp-scene.js';

const visible = [dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))];
const SETTINGS = JSON.stringify({
  delegation: { agents: { chaos: { command: chaosAgentCommand(), visible } } },
});

it('lists, applies, undoes, discards and cleans proposals over MCP', async () => {
  await using scene = await McpScene.create({ 'a.txt': 'one\n' }, { 'settings.yaml': SETTINGS });
  await using server = await scene.connect();
  const call = async (name: string, input: object = {}) =>
    (await server.call(name, { ...input })).structuredContent;
  const propose = async (prompt: string) =>
    call('delegate', { cli: 'acp:chaos', prompt, safety_mode: 'propose' });
  const { result } = await propose('!write a.txt two');
  const { proposals } = await call('list_proposals');
  expect(proposals).toMatchObject([
    { state: 'proposed', session_id: result.session_id, changes: [{ path: 'a.txt', kind: 'modified' }] },
  ]);
  const [{ id }] = proposals;
  expect(await call('list_proposals', { id: id.slice(0, 8) })).toMatchObject({
    diff: expect.stringContaining('+two'),
  });
  const untrusted = await server.call('resolve_proposal', { id, action: 'apply' });
  expect(errorOf(untrusted)).toMatchObject({ code: 'WORKSPACE_NOT_TRUSTED' });
  expect(await scene.folder.read('a.txt')).toBe('one\n');
  const applied = await call('resolve_proposal', { id, action: 'apply', trust_workspace: true });
  expect(applied).toMatchObject({ status: 'applied', conflicts: [] });
  expect(await scene.folder.read('a.txt')).toBe('two\n');
  const undone = await call('resolve_proposal', { id: applied.id, action: 'undo', trust_workspace: true });
  expect(undone).toMatchObject({ status: 'undone' });
  expect(await scene.folder.read('a.txt')).toBe('one\n');
  const again = await server.call('resolve_proposal', {
    id: applied.id,
    action: 'undo',
    trust_workspace: true,
  });
  expect(errorOf(again)).toMatchObject({ code: 'APPLY_NOT_UNDOABLE' });

  await propose('!write a.txt three');
  const [waiting] = (await call('list_proposals')).proposals.filter(
    ({ state }: { state: string }) => state === 'proposed',
  );
  await scene.folder.write('a.txt', 'mine\n');
  expect(
    await call('resolve_proposal', { id: waiting.id, action: 'apply', trust_workspace: true }),
  ).toMatchObject({ status: 'conflict', conflicts: [{ path: 'a.txt' }] });
  expect(await scene.folder.read('a.txt')).toBe('mine\n');
  expect(await call('resolve_proposal', { id: waiting.id, action: 'discard' })).toMatchObject({
    status: 'discarded',
  });
  const unknown = await server.call('resolve_proposal', { id: waiting.id, action: 'discard' });
  expect(errorOf(unknown)).toMatchObject({ code: 'PROPOSAL_NOT_FOUND' });

  await propose('!write .vscode/tasks.json {}');
  const [acting] = (await call('list_proposals')).proposals.filter(
    ({ state }: { state: string }) => state === 'proposed',
  );
  const refused = await server.call('resolve_proposal', {
    id: acting.id,
    action: 'apply',
    trust_workspace: true,
  });
  expect(errorOf(refused)).toMatchObject({
    code: 'PROPOSAL_ACTS_LATER',
    message: expect.stringContaining('.vscode/tasks.json'),
  });
  expect(existsSync(`${scene.folder.path}/.vscode`)).toBe(false);
  const would = await call('clean_proposals', { older_than_days: 0 });
  expect(would).toMatchObject({ dry_run: true });
  expect((await call('list_proposals')).proposals).toHaveLength(would.proposals.length);
  await call('clean_proposals', { older_than_days: 0, dry_run: false });
  expect((await call('list_proposals')).proposals).toEqual([]);
});
