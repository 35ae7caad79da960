import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '@amplifier/testkit';
import { expect } from 'vitest';
import { DaemonProcess } from './daemon-process.js';

export interface KillPlan {
  home: string;
  kills: number;
  seed: number;
}

interface Known {
  /** What was acknowledged, in the order of the acknowledgements. */
  messages: string[];
  /** A delete was sent: from then on it may be gone. */
  doomed: boolean;
  /** The delete was acknowledged: it must be gone. */
  deleted: boolean;
}

/** What the client was told, and what it had asked for without an answer. */
class Ledger {
  readonly sessions = new Map<string, Known>();
  profile = { acknowledged: 0, sent: 0 };
  acknowledged = 0;

  live(): string[] {
    return [...this.sessions].filter(([, known]) => !known.doomed).map(([id]) => id);
  }
}

const LANES = 6;

/** Lets clients create, append, delete and sync, kills the daemon at random moments, and looks at what is left. */
export async function killDaemon({
  home,
  kills,
  seed,
}: KillPlan): Promise<{ acknowledged: number; sessions: number }> {
  const random = seededRandom(seed);
  const ledger = new Ledger();
  let daemon = await DaemonProcess.start(home);
  await daemon.fetch('/api/v1/profiles', {
    method: 'POST',
    json: { name: 'changing', manifest: manifest(0) },
  });
  try {
    for (let kill = 0; kill < kills; kill++) {
      await loadUntilKilled(daemon, ledger, random, 1 + Math.floor(random() * 50));
      daemon = await DaemonProcess.start(home);
      await verify(daemon, home, ledger);
    }
    expect(await daemon.stop()).toBe(0);
  } finally {
    await daemon.kill();
  }
  return { acknowledged: ledger.acknowledged, sessions: ledger.live().length };
}

async function loadUntilKilled(
  daemon: DaemonProcess,
  ledger: Ledger,
  random: () => number,
  acknowledgements: number,
): Promise<void> {
  let left = acknowledgements;
  let killed: Promise<void> | undefined;
  const lane = async (): Promise<void> => {
    while (!killed) {
      try {
        await step(daemon, ledger, random);
      } catch (error) {
        // The connection broke because of the kill; anything else is a failure of the test.
        if (!killed) throw error;
      }
      if (--left === 0) killed = daemon.kill();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await killed;
}

async function step(daemon: DaemonProcess, ledger: Ledger, random: () => number): Promise<void> {
  const live = ledger.live();
  const chosen = live[Math.floor(random() * live.length)];
  const kind = random();
  if (!chosen || kind < 0.3) {
    const session_id = `s-${Math.floor(random() * 2 ** 40).toString(36)}`;
    const answer = await daemon.fetch('/api/v1/sessions', {
      method: 'POST',
      json: { profile_id: 'local/changing', session_id, auto_start: true },
    });
    await expectStatus(answer, 201);
    ledger.sessions.set(session_id, { messages: [], doomed: false, deleted: false });
  } else if (kind < 0.8) {
    const known = ledger.sessions.get(chosen) as Known;
    const content = `m-${Math.floor(random() * 2 ** 40).toString(36)}`;
    const answer = await daemon.fetch(`/api/v1/sessions/${chosen}/messages`, {
      method: 'POST',
      json: { role: 'user', content },
    });
    if (known.doomed && [404, 503].includes(answer.status)) return;
    await expectStatus(answer, 201);
    known.messages.push(content);
  } else if (kind < 0.9) {
    const known = ledger.sessions.get(chosen) as Known;
    known.doomed = true;
    const answer = await daemon.fetch(`/api/v1/sessions/${chosen}?force=true`, { method: 'DELETE' });
    // A message on its way may have taken the session in between.
    if (answer.status === 409) return;
    await expectStatus(answer, 204);
    known.deleted = true;
  } else {
    const sent = ++ledger.profile.sent;
    const answer = await daemon.fetch('/api/v1/profiles/local/changing', {
      method: 'PATCH',
      json: { manifest: manifest(sent) },
    });
    await expectStatus(answer, 200);
    ledger.profile.acknowledged = Math.max(ledger.profile.acknowledged, sent);
  }
  ledger.acknowledged++;
}

async function expectStatus(response: Response, status: number): Promise<void> {
  const text = await response.text();
  expect(response.status, text).toBe(status);
}

/** Every acknowledged write is there, and nothing is half there. */
async function verify(daemon: DaemonProcess, home: string, ledger: Ledger): Promise<void> {
  const listed: string[] = [];
  for (let path: string | null = '/api/v1/sessions?limit=1000'; path; ) {
    const page: Response = await daemon.fetch(path);
    listed.push(...((await page.json()) as { session_id: string }[]).map(({ session_id }) => session_id));
    path = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? null;
  }
  for (const [id, { messages, doomed, deleted }] of ledger.sessions) {
    if (deleted) expect(listed, `${id} was deleted`).not.toContain(id);
    if (!doomed) expect(listed, `${id} was created`).toContain(id);
    if (!listed.includes(id)) continue;
    const lines = (await (await daemon.fetch(`/api/v1/sessions/${id}/transcript`)).json()) as {
      content: string;
      seq: number;
    }[];
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, at) => at + 1));
    const contents = lines.map(({ content }) => content);
    expect(contents).toEqual(expect.arrayContaining(messages));
    expect(new Set(contents).size).toBe(contents.length);
  }
  for (const id of listed) await verifyPlan(daemon, id);
  await verifyProfile(daemon, home, ledger);
}

/** A session that exists has a whole plan, and the files that plan names. */
async function verifyPlan(daemon: DaemonProcess, id: string): Promise<void> {
  const answer = await daemon.fetch(`/api/v1/mount-plans/${id}?view=flat`);
  const text = await answer.text();
  expect(answer.status, `the plan of ${id}: ${text.slice(0, 2_000)}`).toBe(200);
  const plan = JSON.parse(text) as {
    session: { session_id: string };
    mount_points: { source_path?: string }[];
  };
  expect(plan.session.session_id).toBe(id);
  for (const { source_path } of plan.mount_points) if (source_path) await stat(new URL(source_path));
}

async function verifyProfile(daemon: DaemonProcess, home: string, { profile }: Ledger): Promise<void> {
  const { instruction } = (await (await daemon.fetch('/api/v1/profiles/local/changing')).json()) as {
    instruction: string;
  };
  const version = Number(instruction.replace('Version ', ''));
  // What was acknowledged last, give or take those that were on their way together with it.
  expect(version).toBeGreaterThanOrEqual(profile.acknowledged - LANES);
  expect(version).toBeLessThanOrEqual(profile.sent);
  const share = join(home, 'share');
  const lock = JSON.parse(
    await readFile(join(share, 'profiles/local/changing/profile.lock.json'), 'utf8'),
  ) as { resources: { path: string }[] };
  for (const { path } of lock.resources) await stat(join(share, 'profiles/local/changing', path));
  const leftovers = (await readdir(share, { recursive: true })).filter((name) => name.includes('.new-'));
  expect(leftovers).toEqual([]);
}

function manifest(version: number): string {
  return `---\nprofile: { name: changing, version: 0.${version}.0, schema_version: 2 }\nsession:\n  orchestrator: loop-basic\n  context: context-simple\nproviders: [provider-anthropic]\nagents: { helper: { description: Helps, content: You help. } }\n---\nVersion ${version}\n`;
}
