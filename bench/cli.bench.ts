// What it costs to start amplifier, beside bare Node and beside programs of the same kind that are installed here.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSmoke, type Measured, measure, printTable, type Subject } from './lib/measure.js';

const MAIN = fileURLToPath(new URL('../packages/cli/dist/main.js', import.meta.url));
/** Times of bare Node that a start may take. */
const VERSION_LIMIT = 1.4;
const LIST_LIMIT = 3.5;

/** Programs of the same kind, asked the same two things. Those that are not installed, or do not know the command, are left out. */
const PEERS: readonly [string, ...string[]][] = [
  ['npm', '--version'],
  ['claude', '--version'],
  ['codex', '--version'],
  ['gemini', '--version'],
  ['goose', '--version'],
  ['opencode', '--version'],
  ['llm', '--version'],
  ['claude', 'agents'],
  ['gemini', 'extensions', 'list'],
  ['goose', 'recipe', 'list'],
  ['opencode', 'agent', 'list'],
  ['llm', 'templates', 'list'],
];

const home = await mkdtemp(join(tmpdir(), 'amplifier-bench-'));
try {
  const own: Subject[] = [
    { name: 'node -e 0 (floor)', run: () => start(process.execPath, ['-e', '0']) },
    { name: 'amplifier --version', run: () => start(process.execPath, [MAIN, '--version']) },
    { name: 'amplifier agent list', run: () => start(process.execPath, [MAIN, 'agent', 'list']) },
    { name: 'amplifier --help', run: () => start(process.execPath, [MAIN, '--help']) },
  ];
  const peers: Subject[] = [];
  for (const [program, ...args] of isSmoke ? [] : PEERS) {
    const run = () => start(program, args);
    if (await runs(run)) peers.push({ name: `${program} ${args.join(' ')} (peer)`, run });
  }
  const rows = await measure([...own, ...peers], { batches: 15, perBatch: 1 });
  printTable('Starting', rows);
  const [floor, version, list] = rows as [Measured, Measured, Measured];
  report('--version', version.p50 / floor.p50, VERSION_LIMIT);
  report('agent list', list.p50 / floor.p50, LIST_LIMIT);
} finally {
  await rm(home, { recursive: true, force: true });
}

function report(what: string, times: number, limit: number): void {
  const verdict = isSmoke ? '' : times <= limit ? ' (within)' : ' (OVER)';
  console.log(`${what}: ${times.toFixed(2)} × node -e 0; the limit is ${limit}${verdict}`);
}

function start(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, AMPLIFIER_HOME: home } });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))));
  });
}

function runs(run: () => Promise<void>): Promise<boolean> {
  return run().then(
    () => true,
    () => false,
  );
}
