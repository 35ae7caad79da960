import { FakeModelServer, PICTURE, TempWorkspace } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Host } from '../host.js';
import { openProject } from '../project/open-project.js';

let server: FakeModelServer;
let folder: TempWorkspace;
let home: TempWorkspace;
let host: Host;
beforeAll(async () => {
  server = await FakeModelServer.start();
  folder = await TempWorkspace.create({ 'notes.md': 'canary-notes\n', 'data.bin': '' });
  await folder.write('pic.png', Buffer.from(PICTURE, 'base64'));
  await folder.write('my pic.png', Buffer.from(PICTURE, 'base64'));
  await folder.write('data.bin', Buffer.from([0xff, 0xfe, 0, 1]));
  await folder.write('huge.png', Buffer.concat([Buffer.from(PICTURE, 'base64'), Buffer.alloc(6_000_000)]));
  const at = (module: string, path: string) => ({
    module: `provider-${module}`,
    config: { base_url: `${server.url}${path}`, api_key: 'x', default_model: 'fake-1' },
  });
  const providers = [
    at('openai-compatible', '/v1'),
    at('anthropic', ''),
    at('openai', '/v1'),
    at('gemini', '/v1beta'),
    at('ollama', ''),
  ];
  home = await TempWorkspace.create({ 'settings.yaml': JSON.stringify({ config: { providers } }) });
  const environment = { HOME: home.path, AMPLIFIER_HOME: home.path };
  host = await Host.open(await openProject({ cwd: folder.path, environment }));
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  for (const each of [server, folder, home]) await each[Symbol.asyncDispose]();
});

const sent = (index: number) => JSON.stringify(server.exchanges.at(index)?.body);
const run = (instruction: string, more: object = {}) => {
  server.exchanges.length = 0;
  return host.run({ instruction, safety_mode: 'read_only', trusted: true, ...more });
};

describe('a file that goes along with an instruction', () => {
  it.each(['openai-compatible', 'anthropic', 'openai', 'gemini'])(
    'reaches a model over the wire of %s',
    async (provider) => {
      const attachments = [{ path: 'my pic.png' }, { path: 'notes.md' }];
      const { outcome } = await run('!say A dot.', { provider, attachments });
      expect(outcome).toMatchObject({ status: 'completed', text: 'A dot.' });
      expect(sent(0)).toContain(PICTURE);
      expect(sent(0)).toContain('canary-notes');
    },
  );

  it('is told of, and not shown, to a model that cannot see, so that it can say so', async () => {
    const { outcome } = await run('!say I cannot see it.', {
      provider: 'ollama',
      attachments: [{ path: 'pic.png' }],
    });
    expect(outcome.status).toBe('completed');
    const asked = server.exchanges.findIndex(({ steps }) => steps.length > 0);
    expect(sent(asked)).not.toContain(PICTURE);
    expect(sent(asked)).toContain(
      "an image 'pic.png' here that you are not shown: the model fake-1 takes no images",
    );
  });

  it('is also one that is mentioned, or sent as data, and stays in the conversation', async () => {
    const { outcome, launch } = await run('!say A dot in @pic.png.');
    expect(sent(0)).toContain(PICTURE);
    await host.delegator.resume(launch.session_id, '!say Still.');
    expect(sent(1)).toContain(PICTURE);
    expect(outcome.status).toBe('completed');
    await run('!say Seen.', { attachments: [{ name: 'dot.png', data: PICTURE }] });
    expect(sent(0)).toContain(PICTURE);
    const plain = await run('!say Hi.');
    await host.delegator.resume(plain.launch.session_id, '!say Yes.', { attachments: [{ path: 'pic.png' }] });
    expect(sent(0)).not.toContain(PICTURE);
    expect(sent(1)).toContain(PICTURE);
  });

  it('reaches the child to which a delegation names it, and no other', async () => {
    const who = { agent: 'explorer', provider_preferences: [{ provider: 'anthropic', model: 'fake-1' }] };
    const call = (input: object) => `!call delegate ${JSON.stringify({ ...who, ...input })}`;
    const script = [
      call({ instruction: '!say A dot.', context_depth: 'none', attachments: ['pic.png'] }),
      '!then',
      call({ instruction: '!say Nothing.', context_depth: 'none' }),
      '!then',
      '!say Done.',
    ];
    const { outcome } = await run(script.join('\n'));
    expect(outcome).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(server.exchanges.map((_, index) => sent(index)?.includes(PICTURE))).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  it('is passed on by its name where it came as data and lies in no file', async () => {
    const input = {
      agent: 'explorer',
      instruction: '!say A dot.',
      context_depth: 'none',
      attachments: ['x.png'],
    };
    const preferences = [{ provider: 'anthropic', model: 'fake-1' }];
    const call = `!call delegate ${JSON.stringify({ ...input, provider_preferences: preferences })}`;
    await run(`${call}\n!then\n!say Done.`, { attachments: [{ name: 'x.png', data: PICTURE }] });
    expect(sent(1)).toContain('A dot.');
    expect(sent(1)).toContain(PICTURE);
  });

  it('is refused before anything runs when it cannot be shown, with what to do', async () => {
    for (const [path, said] of [
      ['none.png', /cannot be attached/],
      ['data.bin', /neither text nor an image/],
      ['huge.png', /at most 5242880/],
    ] as const)
      await expect(run('!say x', { attachments: [{ path }] })).rejects.toMatchObject({
        code: 'ATTACHMENT_UNUSABLE',
        message: expect.stringMatching(said),
      });
    expect(server.exchanges).toEqual([]);
  });
});
