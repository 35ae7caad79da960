import { type Coordinator, isPlainObject, type JsonObject, type Message } from '@amplifier/core';

/** A model names files by their paths, and images of its conversation, which may lie in no file, by their names. */
export async function withFiles(
  { attachments, ...input }: JsonObject,
  coordinator: Coordinator,
): Promise<JsonObject> {
  if (!Array.isArray(attachments)) return input;
  const shown = shownImages((await coordinator.mounts.one('context')?.getMessages()) ?? []);
  const files = attachments.map((path) => shown.get(String(path)) ?? { path: String(path) });
  return { ...input, attachments: files };
}

/** The images of a conversation by name; of several the last. */
function shownImages(messages: readonly Message[]): Map<string, { name: string; data: string }> {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return new Map(
    blocks.flatMap((block) => {
      if (block.type !== 'image' || typeof block.name !== 'string') return [];
      const data = isPlainObject(block.source) ? block.source.data : undefined;
      return typeof data === 'string' ? [[block.name, { name: block.name, data }] as const] : [];
    }),
  );
}
