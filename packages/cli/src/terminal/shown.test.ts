import { FakeModelServer } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox, type Terminal } from '../../test-support/run-cli.js';

/** A clipboard write, a window title, colours, an eight-bit sequence, a turned word and a line written over. */
const HOSTILE = 'A\u001b]52;c;cm0gLXJm\u0007B\u001b]0;T\u0007C\u001b[8mD\u009b2JE\u202eF\rG';
const VISIBLE = 'A␛]52;c;cm0gLXJm␇B␛]0;T␇C␛[8mD<U+009B>2JE<U+202E>F␍G';

/** Cursor, erasing, and the few styles we use: what the program itself may send. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes of a terminal
const OURS = /\u001b\[(\?25[lh]|\d+A|0J|(?:1|2|22|3[1236]|39)m)|\r\n|\r(?=\r)/g;

async function expectHarmless(terminal: Terminal): Promise<string> {
  await terminal.ended;
  expect(terminal.raw.replace(OURS, '')).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u);
  return terminal.text;
}

it('shows hostile text of agents, models, titles and transcripts as text, in a real terminal', async () => {
  await using server = await FakeModelServer.start({ script: () => ({ text: HOSTILE }) });
  await using box = await CliSandbox.create({
    '.amplifier/agents/sly.md': `---\nmeta:\n  name: sly\n  description: ${JSON.stringify(HOSTILE)}\n---\nYou are sly.\n`,
  });
  await box.home.write(
    'settings.yaml',
    `config:\n  providers:\n    - module: provider-openai-compatible\n      config:\n        base_url: ${server.url}/v1\n        default_model: fake-1\n`,
  );
  const shows = async (...args: string[]) => expectHarmless(box.open(args, { columns: 200 }));
  expect(await shows('agent', 'list')).toContain('A␛]52;c;cm0gLXJm␇B');
  expect(await shows('run', HOSTILE)).toContain(VISIBLE);
  expect(await shows('session', 'list')).toContain('A␛]52;c;cm0gLXJm␇B');
  const { sessions } = (await box.run(['session', 'list', '--json'])).json() as never as {
    sessions: [{ session_id: string }];
  };
  const [{ session_id }] = sessions;
  expect(await shows('session', 'show', session_id)).toContain(VISIBLE);
  const json = await shows('session', 'show', session_id, '--json');
  expect(JSON.stringify(JSON.parse(json))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
  await shows('session', 'export', session_id);
  await shows('no\u001b[8mcommand');
});
