import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Session } from '@amplifier/core';
import { startDaemon } from '@amplifier/daemon';
import { Delegator } from '@amplifier/delegation';
import { SqlRunQueue, SqlSessionStore } from '@amplifier/sessions';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it, vi } from 'vitest';
import { McpScene } from '../packages/mcp/test-support/mcp-scene.js';
import { OfflineProvider } from '../packages/modules/src/providers/offline/offline.js';

const PACKAGES = fileURLToPath(new URL('../packages', import.meta.url));
const MOST = 25;

const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8');
const [, walk = ''] = page.split('### The walk');
const steps = stepsOf(walk);
const files = new Set(steps.map(({ file }) => file));

describe('the walk of a delegation in docs/architecture.md', () => {
  it('has at most 25 functions in at most 25 files', () => {
    expect(steps.length).toBeGreaterThan(15);
    expect(steps.length).toBeLessThanOrEqual(MOST);
    expect(files.size).toBeLessThanOrEqual(MOST);
  });

  it.each(steps)('names a function that is there: $name in $file', ({ name, file }) => {
    const declared = new RegExp(`(?:function |^ +(?:async )?#?)${name}(?:<[^>]*>)?\\(`, 'm');
    expect(readFileSync(join(PACKAGES, file), 'utf8')).toMatch(declared);
  });

  it('is the way amplifier delegate takes to the model: no function between is left out', async () => {
    const passed = await framesOfDelegation();
    expect(passed.length).toBeGreaterThan(15);
    const named = new Set(steps.map(({ name, file }) => `${file} ${name}`));
    expect(passed.filter((frame) => !named.has(frame))).toEqual([]);
  });
});

describe('the walk of a run over REST in docs/architecture.md', () => {
  const [, , rest = ''] = page.split('### The walk');
  const listed = stepsOf(rest);

  it('passes at most 12 files before the Delegator', () => {
    expect(listed.length).toBeGreaterThan(5);
    expect(new Set(listed.map(({ file }) => file)).size).toBeLessThanOrEqual(12);
  });

  it.each(listed)('names a function that is there: $name in $file', ({ name, file }) => {
    const declared = new RegExp(`(?:function |^ +(?:async )?#?)${name}(?:<[^>]*>)?\\(`, 'm');
    expect(readFileSync(join(PACKAGES, file), 'utf8')).toMatch(declared);
  });

  it('is the way a run takes to the Delegator: no function between is left out', async () => {
    const passed = await framesOfRun();
    expect(passed.length).toBeGreaterThan(5);
    const named = new Set(listed.map(({ name, file }) => `${file} ${name}`));
    expect(passed.filter((frame) => !named.has(frame))).toEqual([]);
  });
});

it('an MCP delegate passes at most 14 files before the Delegator', async () => {
  const files = new Set((await framesOfJob()).map((frame) => frame.split(' ')[0]));
  expect(files.size, [...files].join('\n')).toBeGreaterThan(5);
  expect(files.size, [...files].join('\n')).toBeLessThanOrEqual(14);
});

it('no two files of delegation need each other', () => {
  const root = join(PACKAGES, 'delegation/src');
  const needs = new Map(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => [join(root, file), importsOf(join(root, file))]),
  );
  // Whoever needs only files that are done is done; what is left in the end goes round in a circle.
  for (let before = -1; needs.size !== before; ) {
    before = needs.size;
    for (const [file, imports] of needs) if (!imports.some((each) => needs.has(each))) needs.delete(file);
  }
  expect([...needs.keys()].map((file) => relative(root, file))).toEqual([]);
});

function stepsOf(table: string): { name: string; file: string }[] {
  return [...table.matchAll(/^\| \d+ \|.*\| `(\w+)` \| \[`([^`]+)`\]/gm)].map(([, name = '', file = '']) => ({
    name,
    file,
  }));
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import) '(\.[^']+)\.js'/g)].map(([, path = '']) =>
    resolve(dirname(file), `${path}.ts`),
  );
}

/** Our own functions on the stack where a child is created, where its session executes, and where its model is called. */
async function framesOfDelegation(): Promise<string[]> {
  await using box = await TempWorkspace.create({ 'project/a.txt': 'ALPHA' });
  vi.stubEnv('AMPLIFIER_HOME', box.resolve('home'));
  const said: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  // The bundler writes it into the program.
  vi.stubGlobal('AMPLIFIER_VERSION', '0.0.0');
  const { main } = await import('../packages/cli/src/run-program.js');
  const passed = new Set<string>();
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 200;
  capture(SqlSessionStore.prototype, 'create', passed);
  capture(Session.prototype, 'execute', passed);
  capture(OfflineProvider.prototype, 'complete', passed);
  try {
    const args = ['delegate', 'explorer', 'read a.txt', '--offline', '--json'];
    const code = await main([...args, '--cwd', box.resolve('project')], () => {
      throw new Error('Nothing else is needed.');
    });
    expect(code).toBe(0);
    expect(JSON.parse(said.join(''))).toMatchObject({ agent: 'explorer', status: 'success' });
  } finally {
    Error.stackTraceLimit = limit;
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  }
  return [...passed];
}

/** Our own functions on the stack where a run is put into the queue, and where the Delegator gets its turn. */
async function framesOfRun(): Promise<string[]> {
  await using box = await TempWorkspace.create({ 'project/a.txt': 'ALPHA' });
  const { PATH } = process.env;
  const environment = { PATH, HOME: box.resolve('user'), AMPLIFIER_HOME: box.resolve('home') };
  const flags = { port: 0, log_level: 'silent', sync_on_start: false };
  const cwd = box.resolve('project');
  await using daemon = await startDaemon({ users: true, offline: true, environment, cwd, flags });
  const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${daemon.url}/api/v1/${path}`, sent)).json() as Promise<Record<string, string>>;
  };
  const { session_id } = await post('sessions', {});
  const passed = new Set<string>();
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 200;
  capture(SqlRunQueue.prototype, 'enqueue', passed);
  capture(Delegator.prototype, 'resume', passed);
  try {
    const run = await post(`sessions/${session_id}/runs`, { instruction: 'read a.txt', wait: 60 });
    expect(run.status).toBe('completed');
  } finally {
    Error.stackTraceLimit = limit;
    vi.restoreAllMocks();
  }
  return [...passed];
}

/** Our own functions on the stack where a job of an MCP client is stored, and where the Delegator gets its turn. */
async function framesOfJob(): Promise<string[]> {
  await using scene = await McpScene.create({ 'a.txt': 'ALPHA' });
  await using connection = await scene.connect();
  const passed = new Set<string>();
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 200;
  capture(SqlRunQueue.prototype, 'enqueueClaimed', passed);
  capture(Delegator.prototype, 'start', passed);
  try {
    const { structuredContent } = await connection.call('delegate', {
      cli: 'explorer',
      prompt: '!say Found.',
    });
    expect(structuredContent.result).toMatchObject({ ok: true, text: 'Found.' });
  } finally {
    Error.stackTraceLimit = limit;
    vi.restoreAllMocks();
  }
  return [...passed];
}

function capture<T extends object>(owner: T, method: keyof T & string, passed: Set<string>): void {
  const original = owner[method] as (...args: unknown[]) => unknown;
  const listening = { [method]: original } as Record<string, typeof original>;
  vi.spyOn(owner as typeof listening, method).mockImplementation(function (this: unknown, ...args) {
    const frames = new Error().stack?.split('\n') ?? [];
    // A session without a task is made to be the parent; that is no part of the delegation itself.
    if (!frames.some((frame) => frame.includes('createRoot')))
      for (const frame of frames) {
        const [, name, file] = /at (?:async )?(?:\w+\.)?#?(\w+) \(.*\/packages\/(.+\.ts):/.exec(frame) ?? [];
        if (name !== undefined) passed.add(`${file} ${name}`);
      }
    return original.apply(this, args);
  });
}
