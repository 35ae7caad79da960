// An answer of 10,000 tokens at 500 tokens a second on a real pseudo-terminal: talk mode beside a bare process.stdout.write.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSmoke } from './lib/measure.js';

const CHILD = fileURLToPath(new URL('./lib/stream-tokens.ts', import.meta.url));
const ROWS = 30;
const TOKENS = isSmoke ? 100 : 10_000;
const MAX_SHARE = 0.15;

interface Streamed {
  cpu_ms: number;
  wall_ms: number;
}

const folder = await mkdtemp(join(tmpdir(), 'amplifier-bench-'));
try {
  console.log(`\n${TOKENS} tokens at 500 a second, 100 × ${ROWS}`);
  console.log('subject        wall s   cpu s   of one core   frames   full redraws   bytes');
  // One of them shows that it can be done.
  for (const subject of isSmoke ? (['talk'] as const) : (['bare', 'talk'] as const)) {
    const { cpu_ms, wall_ms, output } = await stream(subject);
    const { frames, full } = countFrames(output);
    const share = cpu_ms / wall_ms;
    const cells = [
      subject.padEnd(12),
      (wall_ms / 1000).toFixed(1).padStart(8),
      (cpu_ms / 1000).toFixed(2).padStart(7),
      `${(share * 100).toFixed(1)} %`.padStart(13),
      String(frames).padStart(8),
      String(full).padStart(14),
      String(output.length).padStart(9),
    ];
    console.log(cells.join(' '));
    if (subject === 'talk' && full > 1) fail(`${full} full redraws; one is allowed.`);
    if (subject === 'talk' && share > MAX_SHARE && !isSmoke)
      fail(`${(share * 100).toFixed(1)} % of one core; ${MAX_SHARE * 100} % are allowed.`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function stream(subject: 'bare' | 'talk'): Promise<Streamed & { output: string }> {
  const result = join(folder, `${subject}.json`);
  const words = [process.execPath, '--import', 'tsx', CHILD, subject, String(TOKENS), result];
  const command = `stty cols 100 rows ${ROWS}; exec ${words.map((word) => `'${word}'`).join(' ')}`;
  const env = { ...process.env, TERM: 'xterm-256color', SHELL: '/bin/sh', AMPLIFIER_HOME: folder };
  const child = spawn('script', ['-qefc', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  return { ...(JSON.parse(await readFile(result, 'utf8')) as Streamed), output };
}

/** A frame that goes back over the whole screen, or clears it, draws all of it anew. */
function countFrames(output: string): { frames: number; full: number } {
  const frames = output.split('\u001b[?2026h').slice(1);
  const isFull = (frame: string) => {
    const [, up = '0'] =
      frame
        .split('\u001b[')
        .find((part) => /^\d+A/.test(part))
        ?.match(/^(\d+)A/) ?? [];
    return Number(up) >= ROWS - 1 || frame.includes('\u001b[2J') || frame.includes('\u001b[H');
  };
  return { frames: frames.length, full: frames.filter(isFull).length };
}

function fail(why: string): void {
  console.error(`terminal: ${why}`);
  process.exitCode = 1;
}
