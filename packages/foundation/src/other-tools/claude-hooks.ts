import { escapePattern, isPlainObject, type JsonObject } from '@amplifier/core';
import { literalVariables } from '../settings/expand-variables.js';

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

/** Hooks as Claude Code writes them, for our `hooks-shell`. Of its kinds only commands are run. */
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
            // The shell has CLAUDE_PROJECT_DIR; the settings do not.
            command: literalVariables(command),
            claude: { event: name, ...(typeof matcher === 'string' ? { matcher } : {}) },
            ...(typeof timeout === 'number' && timeout > 0 ? { timeout } : {}),
          },
        ];
      }),
    );
  });
  return { hooks: found, left_out: [...new Set(left_out)] };
}

/** The same for one agent: its `Stop` is its end as a child, too, and not that of children below it. */
export function agentHooks(hooks: JsonObject, agent: string): ReturnType<typeof shellHooks> {
  const { Stop, SubagentStop, ...others } = hooks;
  const ends = listOf(Stop ?? SubagentStop);
  const matcher = escapePattern(agent);
  const asChild = { Stop: ends, SubagentStop: ends.map((group) => ({ ...group, matcher })) };
  return shellHooks(ends.length > 0 ? { ...others, ...asChild } : others);
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
