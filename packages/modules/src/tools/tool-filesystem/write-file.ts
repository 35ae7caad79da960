import { existsSync } from 'node:fs';
import { EVENTS, type Tool } from '@amplifier/core';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import type { OneAtATime } from '../one-at-a-time.js';
import { writeInEditor } from './editor-text.js';
import type { FileAccess } from './file-access.js';
import { replaceKept } from './replace-kept.js';
import type { SeenFiles } from './seen-files.js';

const Input = z.object({
  file_path: z.string().describe('Absolute, or relative to the working folder'),
  content: z.string(),
});

export function writeFileTool(access: FileAccess, turns: OneAtATime, seen: SeenFiles): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Write a whole file. Missing folders are made; an existing file is replaced and keeps its mode. Refused when the file changed since you last read it.',
    input: Input,
    async run({ file_path, content }, context) {
      const grant = await access.grant(context);
      const path = await access.resolve(context, 'write', file_path);
      const { created } = await turns.run(path, async () => {
        await seen.requireUnchanged(path, grant);
        const created = !existsSync(path);
        const done = (await writeInEditor(context, path, content))
          ? { created }
          : await replaceKept(context.coordinator, { grant, path, content });
        await seen.noteWritten(path, grant);
        return done;
      });
      const bytes = Buffer.byteLength(content);
      await context.coordinator.hooks.emit(EVENTS.ARTIFACT_WRITE, {
        path,
        bytes,
        tool_call_id: context.tool_call_id,
      });
      return { file_path, bytes, created };
    },
  });
}
