import { type Coordinator, isPlainObject, type JsonObject, parseBoundedJson } from '@amplifier/core';
import type { ProcessEnd } from '@amplifier/workspace';
import { type Answer, readAnswer } from './read-answer.js';
import type { ShellHook } from './shell-hook.js';

/** Our tools by the names that Claude Code's hooks know. What their members are called is the same. */
const TOOLS: Readonly<Record<string, string>> = {
  bash: 'Bash',
  read_file: 'Read',
  write_file: 'Write',
  edit_file: 'Edit',
  grep: 'Grep',
  glob: 'Glob',
  web_fetch: 'WebFetch',
  web_search: 'WebSearch',
  todo: 'TodoWrite',
  delegate: 'Task',
  task: 'Task',
  load_skill: 'Skill',
};

function claudeTool(name: unknown): string {
  const plain = String(name ?? '');
  if (plain.startsWith('mcp_')) return `mcp__${plain.slice(4).replace('_', '__')}`;
  return Object.hasOwn(TOOLS, plain) ? (TOOLS[plain] ?? plain) : plain;
}

/** Is the hook meant for this event? A matcher is a regular expression over the whole name of the tool; one that is none matches all. */
export function concernsClaude({ claude }: ShellHook, data: Readonly<JsonObject>, isChild: boolean): boolean {
  if (claude?.event === 'Stop' && isChild) return false;
  if (claude?.event === 'SubagentStop' && !isChild) return false;
  const { matcher } = claude ?? {};
  if (matcher === undefined || matcher === '' || matcher === '*' || data.tool_name === undefined) return true;
  try {
    return new RegExp(`^(?:${matcher})$`).test(claudeTool(data.tool_name));
  } catch {
    return true;
  }
}

/** The event in Claude Code's words. */
export function claudeInput(
  { claude }: ShellHook,
  data: Readonly<JsonObject>,
  coordinator: Coordinator,
): JsonObject {
  const { tool_name, tool_input, tool_call_id, result, prompt } = data;
  return {
    session_id: coordinator.session.id,
    transcript_path: '',
    cwd: coordinator.getCapability('session.working_dir') ?? '',
    permission_mode: 'default',
    hook_event_name: claude?.event,
    ...(tool_name === undefined
      ? {}
      : { tool_name: claudeTool(tool_name), tool_input, tool_use_id: tool_call_id }),
    ...(result === undefined ? {} : { tool_response: result }),
    ...(prompt === undefined ? {} : { prompt }),
  };
}

/**
 * What the command meant, by Claude Code's rules: exit code 2 is a no with the reason on standard error, JSON on standard output may
 * decide or add context, any other exit code is a fault of the hook that stops nothing. One that did not run or did not end is a no.
 */
export function readClaudeAnswer(
  end: ProcessEnd | { failed: string },
  hook: ShellHook,
): Answer & { fault?: string } {
  if ('failed' in end || end.ended !== 'exited') return readAnswer(end, hook);
  const { exit_code, stdout, stderr } = end;
  if (exit_code === 2) return readAnswer(end, hook);
  if (exit_code !== 0)
    return {
      reply: null,
      fault: `A hook for ${hook.claude?.event} ended with ${exit_code}: ${stderr.text.trim()}`,
    };
  const text = stdout.text.trim();
  if (text === '') return { reply: null };
  if (!text.startsWith('{')) return addsContext(hook) ? { reply: context(text) } : { reply: null };
  try {
    const answer = parseBoundedJson(text, 'The answer');
    return { reply: isPlainObject(answer) ? decision(answer) : null };
  } catch {
    return { failure: `A hook for ${hook.claude?.event} answered with something that is not JSON.` };
  }
}

function decision(answer: JsonObject) {
  const specific = isPlainObject(answer.hookSpecificOutput) ? answer.hookSpecificOutput : {};
  const reason = String(
    specific.permissionDecisionReason ?? answer.reason ?? answer.stopReason ?? 'A hook said no.',
  );
  const said = specific.permissionDecision ?? answer.decision;
  if (said === 'deny' || said === 'block' || answer.continue === false)
    return { action: 'deny', reason } as const;
  if (said === 'ask') return { action: 'ask_user', approval_prompt: reason } as const;
  const added = specific.additionalContext;
  return typeof added === 'string' ? context(added) : null;
}

function addsContext({ claude }: ShellHook): boolean {
  return claude?.event === 'UserPromptSubmit' || claude?.event === 'SessionStart';
}

function context(text: string) {
  return { action: 'inject_context', context_injection: text, context_injection_role: 'user' } as const;
}
