import {
  type Coordinator,
  type HookReply,
  isPlainObject,
  type JsonObject,
  loadPatterns,
  parseBoundedJson,
} from '@amplifier/core';
import type { ProcessEnd } from '@amplifier/workspace';
import { agentName } from '../../agent-name.js';
import { type Answer, readAnswer } from './read-answer.js';
import type { ShellHook } from './shell-hook.js';

/** Our tools by the names that Claude Code's hooks know. What their members are called is the same. */
const TOOLS: Readonly<Record<string, string>> = {
  bash: 'Bash',
  read_file: 'Read',
  write_file: 'Write',
  edit_file: 'Edit',
  multi_edit: 'MultiEdit',
  list_files: 'LS',
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

/** Events of Claude Code's that concern the conversation with a person, and those that concern a child. */
const OF_ROOT = ['UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop'];
const OF_CHILD = ['SubagentStart', 'SubagentStop'];

/** Matches the whole name of the tool, or of the agent where a child begins or ends. */
export type ClaudeMatcher = (subject: string) => boolean;

/** The matcher of a hook. Throws when its pattern cannot be used. */
export async function claudeMatcher({ claude, command }: ShellHook): Promise<ClaudeMatcher> {
  const { event, matcher = '' } = claude ?? {};
  if (matcher === '' || matcher === '*') return () => true;
  const compile = await loadPatterns();
  try {
    const pattern = compile(matcher);
    return (subject) => pattern.matches(subject);
  } catch (cause) {
    const hook = `The ${event} hook that runs ${JSON.stringify(command)}`;
    const why = (cause as Error).message;
    throw new Error(`${hook} has an unusable matcher: ${why}. Rewrite the matcher, or remove the hook.`, {
      cause,
    });
  }
}

/** True if the hook is meant for this event. */
export function concernsClaude(
  { claude }: ShellHook,
  matches: ClaudeMatcher,
  data: Readonly<JsonObject>,
  coordinator: Coordinator,
): boolean {
  const { event = '' } = claude ?? {};
  const isChild = coordinator.session.parent_id !== null;
  if ((isChild ? OF_ROOT : OF_CHILD).includes(event)) return false;
  // Nothing was used where another hook said no.
  if (event === 'PostToolUse' && isDenied(data.result)) return false;
  const subject =
    event === 'SessionStart'
      ? STARTUP
      : OF_CHILD.includes(event)
        ? agentName(coordinator)
        : data.tool_name && claudeTool(data.tool_name);
  return typeof subject !== 'string' || matches(subject);
}

/** How a session of ours begins, in Claude Code's words. */
const STARTUP = 'startup';

function isDenied(result: unknown): boolean {
  return isPlainObject(result) && isPlainObject(result.error) && result.error.code === 'DENIED';
}

/** The event in Claude Code's words. */
export function claudeInput(
  { claude }: ShellHook,
  data: Readonly<JsonObject>,
  coordinator: Coordinator,
): JsonObject {
  const { tool_name, tool_input, tool_call_id, result, prompt, returns } = data;
  const event = claude?.event ?? '';
  return {
    session_id: coordinator.session.id,
    transcript_path: '',
    cwd: coordinator.getCapability('session.working_dir') ?? '',
    permission_mode: 'default',
    hook_event_name: event,
    ...(tool_name === undefined
      ? {}
      : {
          tool_name: claudeTool(tool_name),
          tool_input: claudeArguments(tool_name, tool_input),
          tool_use_id: tool_call_id,
        }),
    ...(result === undefined ? {} : { tool_response: result }),
    ...(prompt === undefined || isStop(event) ? {} : { prompt }),
    ...(event === 'SessionStart' ? { source: STARTUP } : {}),
    ...(isStop(event) ? { stop_hook_active: Number(returns ?? 0) > 0 } : {}),
    ...(OF_CHILD.includes(event)
      ? { agent_id: coordinator.session.id, agent_type: agentName(coordinator) }
      : {}),
  };
}

/** Most members of ours are called as Claude Code's; those of a delegation are not. */
function claudeArguments(tool: unknown, input: unknown): unknown {
  if (tool !== 'delegate' || !isPlainObject(input)) return input;
  return { ...input, subagent_type: input.agent, prompt: input.instruction };
}

function isStop(event: string): boolean {
  return event === 'Stop' || event === 'SubagentStop';
}

/**
 * What the command meant, by Claude Code's rules: exit code 2 is a no with the reason on standard error, JSON on standard output may
 * decide or add context, any other exit code is a fault of the hook that stops nothing. One that did not run or did not end is a no.
 */
export function readClaudeAnswer(
  end: ProcessEnd | { failed: string },
  hook: ShellHook,
  data: Readonly<JsonObject>,
): Answer & { fault?: string } {
  const event = hook.claude?.event ?? '';
  if ('failed' in end || end.ended !== 'exited') return readAnswer(end, hook);
  const { exit_code, stdout, stderr } = end;
  if (exit_code === 2) return { reply: no(event, stderr.text.trim() || 'A hook said no.') };
  if (exit_code !== 0)
    return { reply: null, fault: `A hook for ${event} ended with ${exit_code}: ${stderr.text.trim()}` };
  const text = stdout.text.trim();
  if (text === '') return { reply: null };
  if (!text.startsWith('{')) return { reply: ADDING.includes(event) ? context(text) : null };
  try {
    const answer = parseBoundedJson(text, 'The answer');
    return { reply: isPlainObject(answer) ? decision(event, answer, data) : null };
  } catch {
    return { failure: `A hook for ${event} answered with something that is not JSON.` };
  }
}

/** What these print is for the model. */
const ADDING = ['UserPromptSubmit', 'SessionStart', 'SubagentStart'];

/** A no before an act denies it. What was done, or is said to be complete, cannot be denied any more: the model is told why. */
function no(event: string, reason: string): HookReply {
  const isAfter = event === 'PostToolUse' || isStop(event);
  return isAfter ? context(reason) : { action: 'deny', reason };
}

function decision(event: string, answer: JsonObject, data: Readonly<JsonObject>): HookReply {
  const specific = isPlainObject(answer.hookSpecificOutput) ? answer.hookSpecificOutput : {};
  const reason = String(
    specific.permissionDecisionReason ?? answer.reason ?? answer.stopReason ?? 'A hook said no.',
  );
  const said = specific.permissionDecision ?? answer.decision;
  // An end that is to be stopped at is no reason to go on.
  if (answer.continue === false) return isStop(event) ? null : { action: 'deny', reason };
  if (said === 'deny' || said === 'block') return no(event, reason);
  const { updatedInput, additionalContext } = specific;
  const changed = isPlainObject(updatedInput) ? { data: { ...data, tool_input: updatedInput } } : {};
  if (said === 'ask') return { action: 'ask_user', approval_prompt: reason, ...changed };
  if (isPlainObject(updatedInput)) return { action: 'modify', ...changed };
  return typeof additionalContext === 'string' ? context(additionalContext) : null;
}

function context(text: string): HookReply {
  return { action: 'inject_context', context_injection: text, context_injection_role: 'user' };
}
