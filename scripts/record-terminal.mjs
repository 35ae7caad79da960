// node scripts/record-terminal.mjs   plays scenes in a real terminal (tmux) and writes what it shows to docs/terminal/*.svg
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';
import { screensToSvg } from './lib/screen-to-svg.mjs';

await prepare();
const { FakeModelServer } = await import('@amplifier/testkit');
const MAIN = join(root, 'packages/cli/dist/main.js');
const SOCKET = `amplifier-record-${process.pid}`;
const COLUMNS = 84;
/** How often the screen is looked at: enough to follow it, few enough for a small file. */
const LOOK_MS = 300;

const call = (name, input) => ({ name, raw_arguments: JSON.stringify(input) });
const ANSWER = `## What the shop does

It takes **orders** and turns them into parcels:

- \`orders.ts\` reads what came in
- \`price.ts\` adds it up

| file | lines |
| --- | --- |
| orders.ts | 120 |
| price.ts | 48 |

\`\`\`ts
export const total = (items: Item[]) => sum(items); // in cents
\`\`\`
`;

/** What the model says when it is asked something, by the words it is asked with. */
const SCRIPT = [
  [/what does this folder do/i, [{ text: ANSWER }]],
  [
    /round to whole cents/i,
    [
      { tool_calls: [call('read_file', { file_path: 'src/price.ts' })] },
      {
        tool_calls: [
          call('edit_file', {
            file_path: 'src/price.ts',
            old_string: '  return net * (1 + tax);',
            new_string: '  // Half a cent is nobody’s.\n  return Math.round(net * (1 + tax));',
          }),
        ],
      },
      { text: 'Prices are whole cents now.' },
    ],
  ],
  [
    /look at both halves/i,
    [
      {
        tool_calls: ['the orders', 'the prices'].map((part) =>
          call('delegate', { agent: 'explorer', context_depth: 'none', instruction: `Read about ${part}.` }),
        ),
      },
      { text: 'Orders come in at one end, and prices are put on them at the other.' },
    ],
  ],
  [
    /read about/i,
    [{ sleep_ms: 4000, tool_calls: [call('glob', { pattern: '**/*.ts' })] }, { text: 'Read.' }],
  ],
];

const server = await FakeModelServer.start({
  script: ({ steps }) => {
    // What a session is told after it was interrupted is no new question.
    const ruleFor = ({ role, text }) => role === 'user' && SCRIPT.find(([words]) => words.test(text));
    const at = steps.findLastIndex(ruleFor);
    const [, replies] = at === -1 ? [null, [{ text: 'Done.' }]] : ruleFor(steps[at]);
    const answered = steps.slice(at).filter(({ role }) => role === 'assistant').length;
    return replies[Math.min(answered, replies.length - 1)];
  },
});
const work = mkdtempSync(join(tmpdir(), 'amplifier-record-'));
const folder = join(work, 'shop');
try {
  const put = (path, text) => {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  };
  put(
    'shop/src/price.ts',
    'export function price(net: number, tax: number): number {\n  return net * (1 + tax);\n}\n',
  );
  put('shop/src/orders.ts', 'export const orders = [];\n');
  put(
    '.amplifier/settings.yaml',
    `config:\n  providers:\n    - module: provider-openai-compatible\n      config: { base_url: "${server.url}/v1", default_model: demo-model }\n`,
  );
  await scene('talk', 'Talk mode: an answer as it is read', ['amplifier'], async (terminal) => {
    await terminal.see('/help');
    await terminal.enter('What does this folder do?');
    await terminal.see(/in cents[\s\S]*tok · \/help/);
  });
  await scene('approval', 'An edit is seen before it is approved', ['amplifier'], async (terminal) => {
    await terminal.see('/help');
    await terminal.enter('Round to whole cents.');
    await terminal.see(/❯ 1\. Allow once[\s\S]*Deny/);
    await wait(2000);
    await terminal.press('y');
    await terminal.see(/whole cents now[\s\S]*tok · \/help/);
  });
  await scene('tree', 'Children are a live tree', ['amplifier'], async (terminal) => {
    await terminal.see('/help');
    await terminal.enter('Look at both halves.');
    await terminal.see(/├─ [\s\S]*└─ /);
    await terminal.see(/at the other[\s\S]*tok · \/help/);
  });
  await scene('continue', 'Killed in the middle, and brought to its end', ['sh'], async (terminal) => {
    await terminal.see('$');
    await terminal.enter('amplifier run "Look at both halves." & sleep 3; kill -9 $!; wait');
    await terminal.see(/Killed/);
    await terminal.enter('clear; amplifier session list; amplifier continue');
    await terminal.see(/put on them at the other/);
  });
} finally {
  await server[Symbol.asyncDispose]();
  rmSync(work, { recursive: true, force: true });
}

/** One picture: starts the program, lets a person act, and draws the screen as it is then. */
async function scene(name, title, [program], act) {
  const bin = join(work, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'amplifier'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, {
    mode: 0o755,
  });
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: work,
    AMPLIFIER_HOME: join(work, '.amplifier'),
    TERM: 'xterm-256color',
    LC_ALL: 'C.UTF-8',
    PS1: '$ ',
    SHELL: '/bin/sh',
  };
  const start = [
    '-L',
    SOCKET,
    '-f',
    '/dev/null',
    '-C',
    'new-session',
    '-x',
    String(COLUMNS),
    '-y',
    '30',
    program,
  ];
  const client = spawn('tmux', start, { cwd: folder, env });
  const changed = [];
  client.stdout.on('data', () => {
    for (const wake of changed.splice(0)) wake();
  });
  const tmux = (...words) => execFileSync('tmux', ['-L', SOCKET, ...words], { encoding: 'utf8' });
  const screens = [];
  const look = () => {
    const screen = tmux('capture-pane', '-p', '-e').replaceAll(folder, '~/shop').replaceAll(work, '~');
    const last = screens.at(-1);
    if (last?.screen === screen || screen.trim() === '') return;
    const now = Date.now();
    if (last) last.ms = now - last.since;
    screens.push({ screen, since: now, ms: 0 });
  };
  const terminal = {
    async enter(text) {
      for (const word of text.split(/(?<= )/)) {
        tmux('send-keys', '-l', '--', word);
        await wait(150);
      }
      tmux('send-keys', 'Enter');
    },
    async press(key) {
      tmux('send-keys', key);
    },
    async see(pattern) {
      for (;;) {
        const next = new Promise((resolve) => changed.push(resolve));
        const shown = tmux('capture-pane', '-p');
        if (typeof pattern === 'string' ? shown.includes(pattern) : pattern.test(shown)) return;
        await next;
      }
    },
  };
  client.stdin.write(`refresh-client -C ${COLUMNS}x30\n`);
  try {
    await new Promise((resolve) => changed.push(resolve));
    const looking = setInterval(look, LOOK_MS);
    await act(terminal).finally(() => clearInterval(looking));
    look();
    mkdirSync(join(root, 'docs/terminal'), { recursive: true });
    const picture = screensToSvg(screens, { title, columns: COLUMNS });
    writeFileSync(join(root, `docs/terminal/${name}.svg`), picture);
    console.log(`docs/terminal/${name}.svg`);
  } finally {
    const gone = new Promise((resolve) => client.on('close', resolve));
    tmux('kill-server');
    await gone;
  }
}
