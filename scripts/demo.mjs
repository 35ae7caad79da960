// A kernel session on the scripted model, printed as a conversation.
import { toolSuccess } from '@amplifier/core';
import { recordEvents, scriptedSession } from '@amplifier/testkit';

const PROMPT = 'How many files does the kernel have, and what is a session?';

const countFiles = {
  name: 'count_files',
  description: 'Counts the source files of a package.',
  inputSchema: { type: 'object', properties: { package: { type: 'string' } }, required: ['package'] },
  async execute({ package: name }) {
    const { readdir } = await import('node:fs/promises');
    const folder = new URL(`../packages/${name}/src/`, import.meta.url);
    const files = await readdir(folder, { recursive: true });
    return toolSuccess(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).length);
  },
};

const script = (request) => {
  const result = request.messages.findLast((message) => message.role === 'tool');
  if (!result)
    return { text: 'Let me look.', tool_calls: [{ name: 'count_files', arguments: { package: 'core' } }] };
  return {
    text: `The kernel has ${result.content} files. A session is a mount plan brought to life: it runs turn by turn and is taken down again.`,
  };
};

const { session } = scriptedSession({ script, tools: [countFiles] });
await session.initialize();
const recorder = recordEvents(session.coordinator.hooks);
const answer = await session.execute(PROMPT);
const messages = await session.coordinator.mounts.one('context').getMessages();
await session.cleanup();

console.log(`session ${session.id} on the scripted model (no key, no network)\n`);
for (const { role, content, tool_calls, name } of messages) {
  const text =
    typeof content === 'string' ? content : content.flatMap((block) => block.text ?? []).join('\n');
  console.log(`${(name ? `${role} ${name}` : role).padEnd(17)} ${text}`);
  for (const call of tool_calls ?? [])
    console.log(`${''.padEnd(17)} → ${call.tool}(${JSON.stringify(call.arguments)})`);
}
console.log(`\n${recorder.events.length} events: ${recorder.names().join(', ')}`);
if (!answer) process.exitCode = 1;
