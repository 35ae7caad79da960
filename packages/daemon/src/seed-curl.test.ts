import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { TempWorkspace } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DaemonProcess } from '../test-support/daemon-process.js';

const FOLLOWS = { timeout: 100_000, interval: 20 };

const run = promisify(execFile);
let workspace: TempWorkspace;
let daemon: DaemonProcess;

beforeAll(async () => {
  workspace = await TempWorkspace.create();
  daemon = await DaemonProcess.start(workspace.resolve('home'));
});
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await workspace?.[Symbol.asyncDispose]();
});

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests look at
  body: any;
}

/** Runs a curl line of the seed, with the port of the daemon and the token added. */
async function curl(line: string, variables: Record<string, string> = {}): Promise<Answer> {
  const words = `${line} -H "Authorization: Bearer ${daemon.token}" -s -w "\\n%{http_code}"`
    .replaceAll('http://localhost:8000', daemon.url.replace('127.0.0.1', 'localhost'))
    .replace(/\$([A-Z_]+)/g, (_, name) => variables[name] ?? '');
  const { stdout } = await run('sh', ['-c', words]);
  const cut = stdout.lastIndexOf('\n');
  const text = stdout.slice(0, cut);
  return { status: Number(stdout.slice(cut + 1)), body: text === '' ? null : JSON.parse(text) };
}

describe('the curl lines of phase 1', () => {
  it('cache a profile', async () => {
    const { status, body } = await curl(`curl -X POST http://localhost:8000/api/v1/collections/sync \\
      -H "Content-Type: application/json" \\
      -d '{"collection_id": "foundation"}'`);
    expect(status).toBe(200);
    expect(body.collections).toEqual({ foundation: 'synced' });
    expect(Object.keys(body.profiles)).toContain('foundation/base');
  });

  it('generate a mount plan', async () => {
    const { status, body } = await curl(`curl -X POST http://localhost:8000/api/v1/mount-plans/generate \\
      -H "Content-Type: application/json" \\
      -d '{
        "profile_id": "foundation/base",
        "settings_overrides": {"llm": {"model": "gpt-4"}}
      }'`);
    expect(status).toBe(201);
    expect(body.session).toMatchObject({
      profile_id: 'foundation/base',
      settings: { llm: { model: 'gpt-4' } },
    });
    expect(body.session.session_id).toMatch(/^session_/);
    expect(body.session.created_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    const agent = body.agents['foundation/base.agent.zen-architect'];
    expect(agent).toMatchObject({ mount_type: 'embedded', module_type: 'agent' });
    expect(agent.content).toMatch(/^# Zen Architect\n\nYou are a software architect/);
    const provider = body.providers['foundation/base.provider.anthropic'];
    expect(provider).toMatchObject({ mount_type: 'referenced', module_type: 'provider' });
    expect((await stat(new URL(provider.source_path))).isDirectory()).toBe(true);
    const context = body.context['foundation/base.context.implementation-philosophy'];
    expect(context.content).toMatch(/^# Implementation Philosophy\n\nThis document outlines/);
    expect(body.mount_points).toEqual(expect.arrayContaining([agent, provider, context]));
  });
});

describe('the curl lines of phase 2', () => {
  it('lead a session from its creation to its end', async () => {
    const created = await curl(`curl -X POST http://localhost:8000/api/v1/sessions/ \\
      -H "Content-Type: application/json" \\
      -d '{"profile_name": "foundation/base"}'`);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      status: 'created',
      profile_name: 'foundation/base',
      message_count: 0,
    });
    const variables = { SESSION_ID: created.body.session_id };

    const folder = workspace.resolve('home/state/sessions', created.body.session_id);
    // The files follow the record: they come soon after the answer.
    await vi.waitFor(
      async () =>
        expect(await readdir(folder)).toEqual(
          expect.arrayContaining(['mount_plan.json', 'session.json', 'transcript.jsonl']),
        ),
      FOLLOWS,
    );
    expect(await readFile(`${folder}/transcript.jsonl`, 'utf8')).toBe('');

    const started = await curl(
      'curl -X POST http://localhost:8000/api/v1/sessions/$SESSION_ID/start',
      variables,
    );
    expect(started).toEqual({ status: 204, body: null });

    const appended = await curl(
      `curl -X POST http://localhost:8000/api/v1/sessions/$SESSION_ID/messages \\
      -H "Content-Type: application/json" \\
      -d '{"role": "user", "content": "Hello Claude"}'`,
      variables,
    );
    expect(appended.status).toBe(201);
    expect(appended.body).toMatchObject({ role: 'user', content: 'Hello Claude', seq: 1 });

    const metadata = await curl('curl http://localhost:8000/api/v1/sessions/$SESSION_ID', variables);
    expect(metadata.body).toMatchObject({ status: 'active', message_count: 1 });

    const transcript = await curl(
      'curl http://localhost:8000/api/v1/sessions/$SESSION_ID/transcript',
      variables,
    );
    expect(transcript.body).toEqual([appended.body]);
    await vi.waitFor(async () => {
      const [line] = (await readFile(`${folder}/transcript.jsonl`, 'utf8')).trim().split('\n');
      expect(JSON.parse(line ?? '')).toMatchObject({ role: 'user', content: 'Hello Claude' });
    }, FOLLOWS);

    const active = await curl('curl http://localhost:8000/api/v1/sessions/active');
    expect(active.body.map((entry: { session_id: string }) => entry.session_id)).toContain(
      variables.SESSION_ID,
    );

    const completed = await curl(
      'curl -X POST http://localhost:8000/api/v1/sessions/$SESSION_ID/complete',
      variables,
    );
    expect(completed.status).toBe(204);

    const listed = await curl('curl "http://localhost:8000/api/v1/sessions/?status=completed"');
    expect(listed.body).toHaveLength(1);
    expect(listed.body[0]).toMatchObject({ session_id: variables.SESSION_ID, status: 'completed' });

    const cleaned = await curl(
      'curl -X POST "http://localhost:8000/api/v1/sessions/cleanup?older_than_days=30"',
    );
    expect(cleaned).toMatchObject({ status: 200, body: { removed_count: 0 } });

    const deleted = await curl('curl -X DELETE http://localhost:8000/api/v1/sessions/$SESSION_ID', variables);
    expect(deleted.status).toBe(204);
    await expect(stat(folder)).rejects.toThrow('ENOENT');
    expect((await curl('curl http://localhost:8000/api/v1/sessions/$SESSION_ID', variables)).status).toBe(
      404,
    );
  });
});

describe('the curl lines of phases 3 and 4', () => {
  it('create a sub-session with an overlay', async () => {
    const parent = await curl(`curl -X POST http://localhost:8000/api/v1/mount-plans/generate \\
      -H "Content-Type: application/json" \\
      -d '{"profile_id": "foundation/base"}'`);
    const PARENT_ID = parent.body.session.session_id;
    const { status, body } = await curl(
      `curl -X POST http://localhost:8000/api/v1/mount-plans/$PARENT_ID/sub-session \\
      -H "Content-Type: application/json" \\
      -d '{
        "agent_overlay": {
          "agents": {
            "bug-hunter": {
              "enabled": true,
              "config": {"verbose": true}
            }
          }
        },
        "settings_overrides": {
          "session": {"timeout": 3600}
        }
      }'`,
      { PARENT_ID },
    );
    expect(status).toBe(201);
    expect(body.session).toMatchObject({
      parent_session_id: PARENT_ID,
      settings: { session: { timeout: 3600 } },
    });
    expect(body.session.session_id).not.toBe(PARENT_ID);
    expect(body.agents['foundation/base.agent.bug-hunter']).toMatchObject({
      enabled: true,
      config: { verbose: true },
    });
    expect(parent.body.agents['foundation/base.agent.bug-hunter'].config).toEqual({});
  });

  it('validate a plan and ask for the health', async () => {
    const plan = await daemon.fetch('/api/v1/mount-plans/generate', {
      method: 'POST',
      json: { profile_id: 'foundation/base' },
    });
    const file = await workspace.write('mount_plan.json', await plan.text());
    const validated = await curl(`curl -X POST http://localhost:8000/api/v1/mount-plans/validate \\
      -H "Content-Type: application/json" \\
      -d @${file}`);
    expect(validated).toMatchObject({ status: 200, body: { valid: true, errors: {} } });
    const health = await curl('curl http://localhost:8000/api/v1/mount-plans/health');
    expect(health).toEqual({
      status: 200,
      body: {
        status: 'healthy',
        service: 'mount_plan_service',
        storage_available: true,
        cache_available: true,
      },
    });
  });
});

describe('the Python client of the seed', () => {
  it('generates a plan and retrieves the same one', async () => {
    const response = await daemon.fetch('/api/v1/mount-plans/generate', {
      method: 'POST',
      json: { profile_id: 'foundation/base' },
    });
    const mount_plan = (await response.json()) as { session: { session_id: string } };
    const retrieved = await daemon.fetch(`/api/v1/mount-plans/${mount_plan.session.session_id}`);
    expect(await retrieved.json()).toEqual(mount_plan);
  });
});
