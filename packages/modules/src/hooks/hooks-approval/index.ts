import { resolve } from 'node:path';
import { type AmplifierModule, type Coordinator, EVENTS, type JsonObject } from '@amplifier/core';
import { checkGrant } from '@amplifier/workspace';
import { agentName } from '../../agent-name.js';
import { readConfig } from '../../read-config.js';
import { APPROVAL_PRIORITY } from '../defaults.js';
import { approvalMemory } from './approval-memory.js';
import { ApprovalPolicy, decide } from './approval-policy.js';
import { type Asker, approvalPrompt } from './approval-prompt.js';
import { touchedPaths } from './touched-paths.js';

const ALWAYS = 'Allow always';

/** Asks a person, or answers for them by policy, before a tool runs. */
const module: AmplifierModule = {
  mount(coordinator, config: JsonObject) {
    const policy = readConfig('hooks-approval', ApprovalPolicy, config);
    const { hooks, session } = coordinator;
    const memory = approvalMemory(policy.memory_file, coordinator.clock);
    const asker: Asker = { agent: agentName(coordinator), ...session };
    const asked = new Map<string, { tool: string; subject: string }>();

    const stopAsking = hooks.register(
      EVENTS.TOOL_PRE,
      async (_event, { tool_name, tool_input, tool_call_id }) => {
        const call = { tool: String(tool_name), input: tool_input as JsonObject };
        const paths = await touchedPaths(call.input, coordinator.getCapability('session.working_dir'));
        const verdict = decide(policy, { ...call, paths });
        if (verdict.action === 'allow') return null;
        if (verdict.action === 'deny') return { action: 'deny', reason: verdict.because };
        const subject = subjectOf(call.input, paths);
        const refused = outOfReach(coordinator, call.tool, paths);
        if (refused !== null) return { action: 'deny', reason: refused };
        if (await memory.holds({ agent: asker.agent, tool: call.tool, subject })) return null;
        const prompt = approvalPrompt(asker, call.tool, subject);
        asked.set(prompt, { tool: call.tool, subject });
        return {
          action: 'ask_user',
          approval_prompt: prompt,
          approval_subject: { tool_call_id, tool_name, tool_input },
          approval_options: ['Allow once', ALWAYS, 'Deny'],
          approval_timeout: policy.timeout,
          approval_default: policy.default_on_timeout,
        };
      },
      { priority: APPROVAL_PRIORITY, name: 'hooks-approval' },
    );
    const stopHearing = hooks.listen(EVENTS.APPROVAL_GRANTED, async (_event, { prompt, answer }) => {
      const question = asked.get(String(prompt));
      asked.delete(String(prompt));
      if (!question || String(answer).toLowerCase() !== ALWAYS.toLowerCase()) return;
      await memory.remember({ agent: asker.agent, ...question });
    });
    const stopForgetting = hooks.listen(EVENTS.APPROVAL_DENIED, (_event, { prompt }) => {
      asked.delete(String(prompt));
    });
    return () => {
      stopAsking();
      stopHearing();
      stopForgetting();
    };
  },
};
export default module;

const WRITING_TOOLS = new Set(['write_file', 'edit_file', 'multi_edit']);

/** Nobody is asked for what the session may not do anyway. */
function outOfReach(
  coordinator: Pick<Coordinator, 'getCapability'>,
  tool: string,
  paths: readonly string[],
): string | null {
  if (!WRITING_TOOLS.has(tool)) return null;
  const grant = coordinator.getCapability('session.grant');
  const cwd = coordinator.getCapability('session.working_dir');
  if (!grant || !cwd) return null;
  for (const path of paths) {
    const { allowed, because } = checkGrant(grant, { kind: 'write', path: resolve(cwd, path) });
    if (!allowed) return because;
  }
  return null;
}

/** What the permission is about. Two calls with the same subject are one permission. */
function subjectOf(input: JsonObject, paths: readonly string[]): string {
  if (typeof input.command === 'string') return input.command;
  if (typeof input.url === 'string') return input.url;
  return paths.join(', ');
}
