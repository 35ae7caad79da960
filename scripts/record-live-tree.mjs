// node scripts/record-live-tree.mjs   runs the demo in a real terminal and writes its live tree to docs/live-tree.svg
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';

const COLUMNS = 76;
const LINE = 20;
const CHARACTER = 8.4;

await prepare();
const home = mkdtempSync(join(tmpdir(), 'amplifier-picture-'));
const shown = await record(
  `stty cols ${COLUMNS} rows 30; exec ${process.execPath} packages/cli/dist/main.js demo`,
);
rmSync(home, { recursive: true, force: true });
const frame = fullest(shown);
writeFileSync(join(root, 'docs/live-tree.svg'), draw(frame));
console.log(frame.join('\n'));

function record(command) {
  return new Promise((resolve) => {
    const env = {
      ...process.env,
      AMPLIFIER_HOME: home,
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      NO_COLOR: '1',
    };
    const terminal = spawn('script', ['-qefc', command, '/dev/null'], { cwd: root, env });
    let text = '';
    terminal.stdout.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    terminal.on('close', () => resolve(text));
  });
}

/** Of all pictures the terminal showed, the one with the most agents at work. */
function fullest(text) {
  const ESC = String.fromCharCode(27);
  const frames = text
    .split(`${ESC}[0J`)
    .map((part) => part.split(`${ESC}[`)[0].replaceAll('\r', '').trimEnd().split('\n'))
    .filter((lines) => /^[·◐▸✓] amplifier/.test(lines[0] ?? ''));
  const busy = (lines) =>
    lines.filter((line) => /─ [·◐▸✓]/.test(line)).length +
    lines.filter((line) => /[◐▸]/.test(line)).length / 10;
  return frames.reduce(
    (best, lines) => (busy(lines) > busy(best) ? lines : best),
    frames[0] ?? ['nothing was drawn'],
  );
}

function draw(lines) {
  const width = Math.ceil(COLUMNS * CHARACTER) + 32;
  const height = (lines.length + 1) * LINE + 28;
  const text = ['$ amplifier demo', ...lines]
    .map(
      (line, index) =>
        `  <text x="16" y="${32 + index * LINE}" xml:space="preserve" fill="${index === 0 ? '#8b949e' : '#e6edf3'}">${escapeXml(line)}</text>`,
    )
    .join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
  <title>A delegation while it runs: each agent with what it does and for how long</title>
  <rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${text}
</svg>
`;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
