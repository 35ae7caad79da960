import { join } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import { readJsonFile } from '../read-json-file.js';

/** Claude Code's events and ours. */
const EVENTS: Readonly<Record<string, string>> = {
  PreToolUse: 'tool:pre',
  PostToolUse: 'tool:post',
  UserPromptSubmit: 'prompt:submit',
  SessionStart: 'session:start',
  SessionEnd: 'session:end',
  Stop: 'prompt:complete',
  SubagentStart: 'session:start',
  SubagentStop: 'prompt:complete',
  PreCompact: 'context:pre_compact',
  Notification: 'user:notification',
};

/** Claude Code's settings files of a project: of everybody, and of one person. */
export function claudeSettingsFiles(folder: string): string[] {
  return ['settings.json', 'settings.local.json'].map((name) => join(folder, '.claude', name));
}

/** The hooks of a settings file of Claude Code's, as it writes them. Empty where there are none. */
export async function claudeHooksIn(file: string): Promise<JsonObject> {
  const { hooks } = await readJsonFile(file);
  return isPlainObject(hooks) ? hooks : {};
}

/** The same for our `hooks-shell`. Of its kinds of hooks only commands are run. */
export function shellHooks(hooks: JsonObject): { hooks: JsonObject[]; left_out: string[] } {
  const left_out: string[] = [];
  const found = Object.entries(hooks).flatMap(([name, groups]) => {
    const event = Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined;
    if (event === undefined) {
      left_out.push(name);
      return [];
    }
    return listOf(groups).flatMap(({ matcher, hooks: entries }) =>
      listOf(entries).flatMap(({ type = 'command', command, timeout }): JsonObject[] => {
        if (type !== 'command' || typeof command !== 'string') {
          left_out.push(`${name} (${String(type)})`);
          return [];
        }
        return [
          {
            event,
            command,
            claude: { event: name, ...(typeof matcher === 'string' ? { matcher } : {}) },
            ...(typeof timeout === 'number' && timeout > 0 ? { timeout } : {}),
          },
        ];
      }),
    );
  });
  return { hooks: found, left_out: [...new Set(left_out)] };
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
