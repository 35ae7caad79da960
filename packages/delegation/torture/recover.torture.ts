import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openSessionStore } from '@amplifier/sessions';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';

const PROCESS = fileURLToPath(new URL('./wide-process.mjs', import.meta.url));
const [ROOTS, CHILDREN] = [20, 50];

it.each([
  ['with the usual 8 slots per tree', 8],
  ['all of them at work', CHILDREN],
])('a killed process with 1,000 unfinished children is recovered by the next one, %s', async (_, slots) => {
  await using workspace = await TempWorkspace.create();
  const folder = workspace.resolve('sessions');
  const args = [folder, String(ROOTS), String(CHILDREN)];
  await linesOf([...args, 'hang', String(slots)], 'READY');
  const [result = ''] = await linesOf([...args, 'finish', String(slots)]);
  const { statuses, at_work_ms, ended_ms } = JSON.parse(result) as Record<string, unknown>;
  console.log(
    `${ROOTS} x ${CHILDREN} unfinished children, ${slots} slots: recovered after ${at_work_ms} ms, all ended after ${ended_ms} ms.`,
  );
  expect(statuses).toEqual(Array(ROOTS).fill('completed'));
  await using store = await openSessionStore(`${folder}/record.db`);
  for (let at = 0; at < ROOTS; at++) {
    const children = await store.children(`session_wide-${at}`);
    expect(children.filter((child) => child.status === 'completed')).toHaveLength(CHILDREN);
    const events = await store.events(`session_wide-${at}`);
    expect(events.filter(({ name }) => name === 'delegate:agent_completed')).toHaveLength(CHILDREN);
  }
});

/** What a process prints; it is killed when it prints `until`. */
async function linesOf(args: string[], until?: string): Promise<string[]> {
  const child = spawn(process.execPath, [PROCESS, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line === until) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return lines;
}
