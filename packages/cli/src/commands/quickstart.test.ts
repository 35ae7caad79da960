import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { FakeModelServer } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../test-support/run-cli.js';

const GUIDE = fileURLToPath(new URL('../../../../docs/quickstart.md', import.meta.url));

/** A command line as a person reads it in the guide, in the words a shell would make of it. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
}

it('works for somebody who follows the guide word by word, with a server of their own', async () => {
  await using server = await FakeModelServer.start();
  await using box = await CliSandbox.create({ 'README.md': 'A repository of ours.' });
  const guide = await readFile(GUIDE, 'utf8');
  const follow = (line: string, replace: [string, string][] = []) => {
    expect(guide).toContain(line);
    return box.run(words(replace.reduce((text, [from, to]) => text.replaceAll(from, to), line)));
  };

  const made = await follow('amplifier agent new code-historian -d "Finds out why code is the way it is."');
  expect(made.code).toBe(0);
  expect((await follow('amplifier agent list')).stdout).toMatch(/^code-historian +project +Finds out why/m);
  const offline = await follow('amplifier run --offline --agent code-historian "read README.md"');
  expect(offline.stdout).toContain('A repository of ours.');

  const added = await follow(
    'amplifier provider add openai-compatible --base-url http://127.0.0.1:8000/v1 --model my-model',
    [['http://127.0.0.1:8000', server.url]],
  );
  expect(added.code).toBe(0);
  const ran = await follow('amplifier run "what does this repository do? let explorer look at the packages"');
  expect(ran.stdout).toContain('You said: what does this repository do?');
  expect(server.exchanges[0]?.model).toBe('my-model');

  const [, session_id = ''] = /session_(\w+)/.exec(ran.stderr) ?? [];
  const own: [string, string][] = [['01M7H5Z6MV', session_id.slice(0, 14)]];
  const resumed = await follow('amplifier session resume 01M7H5Z6MV "now write it down in docs/"', own);
  expect(resumed.stdout).toContain('You said: now write it down in docs/');
  expect(JSON.stringify(server.exchanges.at(-1)?.body)).toContain('what does this repository do?');
  expect((await follow('amplifier session tree 01M7H5Z6MV', own)).stdout).toContain(session_id);
  expect((await follow('amplifier session list')).stdout).toContain(session_id);
});
