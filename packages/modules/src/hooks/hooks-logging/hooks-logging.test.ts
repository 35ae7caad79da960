import { stat } from 'node:fs/promises';
import { mountedSession, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import module from './index.js';

interface Line {
  time: string;
  name: string;
  session_id: string;
  data: Record<string, unknown>;
}

async function linesOf(workspace: TempWorkspace, file: string): Promise<Line[]> {
  const lines = (await workspace.read(file)).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

it('writes each event of the session as one line, from the first to session:end', async () => {
  await using workspace = await TempWorkspace.create();
  const path = workspace.resolve('logs', '{session_id}.jsonl');
  const { session } = await mountedSession({
    id: 's1',
    hookModules: { 'hooks-logging': module },
    config: { 'hooks-logging': { path } },
  });
  await session.execute('hello');
  await session.cleanup();
  const lines = await linesOf(workspace, 'logs/s1.jsonl');
  expect(lines.map((line) => line.name)).toEqual([
    'session:start',
    'execution:start',
    'provider:request',
    'provider:response',
    'execution:end',
    'orchestrator:complete',
    'session:end',
  ]);
  expect(lines[1]).toMatchObject({ session_id: 's1', data: { prompt: 'hello' } });
  expect(Date.parse(lines[1]?.time ?? '')).not.toBeNaN();
  expect((await stat(workspace.resolve('logs/s1.jsonl'))).mode & 0o777).toBe(0o600);
});

it('writes no secret and no stream delta', async () => {
  await using workspace = await TempWorkspace.create();
  const { session } = await mountedSession({
    hookModules: { 'hooks-logging': module },
    config: { 'hooks-logging': { path: workspace.resolve('log') } },
  });
  await session.coordinator.hooks.emit('custom:event', { api_key: 'sk-123', note: 'Bearer abcdefghijk' });
  await session.coordinator.hooks.emit('content_block:delta', {
    delta: { type: 'text', index: 0, text: 'x' },
  });
  await session.cleanup();
  const text = await workspace.read('log');
  expect(text).toContain('custom:event');
  expect(text).not.toMatch(/sk-123|abcdefghijk|content_block:delta/);
});

it('reports once that it cannot write, and the session goes on', async () => {
  await using workspace = await TempWorkspace.create({ file: '' });
  const { session } = await mountedSession({
    hookModules: { 'hooks-logging': module },
    config: { 'hooks-logging': { path: workspace.resolve('file', 'log') } },
  });
  expect(await session.execute('hello')).toBe('Done.');
  await session.cleanup();
  const failures = session.coordinator.diagnostics.filter(({ code }) => code === 'EVENT_LOG_FAILED');
  expect(failures).toHaveLength(1);
});

it('keeps an id that looks like a path inside the folder', async () => {
  const { logPath } = await import('./log-path.js');
  expect(logPath('/logs/{session_id}.jsonl', '../../etc/x')).toBe('/logs/__.._etc_x.jsonl');
});
