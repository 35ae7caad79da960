// stream-tokens.ts bare|talk COUNT RESULT: writes tokens to the terminal at 500 a second and notes what that took.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCli } from '../../packages/cli/src/cli.js';
import { logFile } from '../../packages/cli/src/log-file.js';
import { RichScreen, type RichScreenOptions } from '../../packages/cli/src/talk/rich/rich-screen.js';

const [, , subject, count = '0', result = ''] = process.argv;
const TICK_MS = 10;
const PER_TICK = 5;
const PARAGRAPH =
  'Some words **in bold**, a `name`, and more of them until the line is full and has to be broken somewhere.\n\n- a point\n- another one\n\n```ts\nconst answer = 42; // a comment\n```\n\n';
const TOKENS = PARAGRAPH.match(/\s*\S+\s*/g) ?? [];

const take = sink();
const started = process.hrtime.bigint();
const before = process.cpuUsage();
let sent = 0;
const timer = setInterval(() => {
  // As many as are due by now, so that a late tick does not slow the stream down.
  const elapsed = Number(process.hrtime.bigint() - started) / 1e6;
  const due = Math.min(Number(count), Math.floor(elapsed / TICK_MS) * PER_TICK);
  for (; sent < due; sent++) take.token(TOKENS[sent % TOKENS.length] ?? ' ');
  if (sent < Number(count)) return;
  clearInterval(timer);
  take.end();
  const { user, system } = process.cpuUsage(before);
  const wall_ms = Number(process.hrtime.bigint() - started) / 1e6;
  writeFileSync(result, JSON.stringify({ cpu_ms: (user + system) / 1000, wall_ms }));
}, TICK_MS);

function sink(): { token(text: string): void; end(): void } {
  if (subject === 'bare') return { token: (text) => void process.stdout.write(text), end() {} };
  const flags = {
    cwd: process.cwd(),
    json: false,
    quiet: false,
    verbose: false,
    debug: false,
    strict: false,
  };
  const screen = new RichScreen({
    cli: makeCli(flags, logFile(join(process.env.AMPLIFIER_HOME ?? '', 'bench.log'))),
    historyFile: join(process.env.AMPLIFIER_HOME ?? '', 'history'),
    events: { onInput() {}, onAnswer() {}, onInterrupt() {}, onEnd() {} },
    completions: { getSuggestions: async () => null } as unknown as RichScreenOptions['completions'],
    hasColors: true,
    contextWindow: () => 200_000,
  });
  const view = screen.showTurn();
  const lineage = { depth: 0, session_id: 'session_bench' };
  view.onEvent('provider:request', { lineage, session_id: 'session_bench', model: 'bench-1' });
  return {
    token: (text) =>
      view.onEvent('content_block:delta', {
        lineage,
        session_id: 'session_bench',
        delta: { type: 'text', text },
      }),
    end() {
      view.end();
      screen.close();
    },
  };
}
