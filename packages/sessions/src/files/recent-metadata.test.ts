import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { FileSessionStore } from './file-session-store.js';

it('metadata that was read before is read again as soon as anybody has written', async () => {
  await using workspace = await TempWorkspace.create();
  const folder = workspace.resolve('sessions');
  await using writer = await FileSessionStore.open({ folder });
  await using reader = await FileSessionStore.open({ folder });
  const log = await writer.create({ session_id: 's' });
  const first = await reader.metadata('s');
  expect(await reader.metadata('s')).toBe(first);
  for (let count = 1; count <= 3; count++) {
    await log.appendMessages([{ role: 'user', content: 'x' }]);
    expect((await reader.metadata('s')).message_count).toBe(count);
  }
  await log.transition('active');
  expect((await reader.metadata('s')).status).toBe('active');
  await log.close();
  await writer.delete('s', { force: true });
  await expect(reader.metadata('s')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await using again = await writer.create({ session_id: 's', name: 'second' });
  expect((await reader.metadata('s')).name).toBe(again.metadata.name);
});
