import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { type AmplifierModule, type Coordinator, EVENTS, type JsonObject, jsonDigest } from '@amplifier/core';
import { checkGrant } from '@amplifier/workspace';
import { agentName } from '../../agent-name.js';
import { readConfig } from '../../read-config.js';
import { APPROVAL_PRIORITY } from '../defaults.js';
import { approvalMemory, type Permission } from './approval-memory.js';
import { ApprovalPolicy, decide, type Verdict } from './approval-policy.js';
import { approvalPreview } from './approval-preview.js';
import { type Asker, approvalPrompt } from './approval-prompt.js';
import { decidePermission } from './decide-permission.js';
import { type LastingAnswer, lastingAnswers } from './lasting-answers.js';
import { type PermissionCall, type PermissionRule, readRules } from './permission-rule.js';
import type { SessionPermissions } from './session-permissions.js';
import { touchedPaths } from './touched-paths.js';

const ALWAYS = 'Allow always';

interface Asked {
  exact: Permission;
  lasting: readonly LastingAnswer[];
}

/** Asks a person, or answers for them by policy, before a tool runs. */
const module: AmplifierModule = {
  mount(coordinator, config: JsonObject) {
    const policy = readConfig('hooks-approval', ApprovalPolicy, config);
    const { hooks, session } = coordinator;
    const permissions = permissionsOf(coordinator, policy);
    const memory = approvalMemory(policy.memory_file, coordinator.clock, permissions.exact);
    const asker: Asker = { agent: agentName(coordinator), ...session };
    const asked = new Map<string, Asked>();

    const stopAsking = hooks.register(
      EVENTS.TOOL_PRE,
      async (_event, { tool_name, tool_input, tool_call_id }) => {
        const { tool, input } = { tool: String(tool_name), input: tool_input as JsonObject };
        const isolation = coordinator.getCapability('session.isolation');
        const { paths, folders } = await touchedPaths(
          input,
          coordinator.getCapability('session.working_dir'),
          isolation,
        );
        const call = { tool, input, paths, folders, agent: asker.agent };
        const verdict = await decideWith(await permissions.rules(), policy, call);
        if (verdict.action === 'allow') return null;
        if (verdict.action === 'deny') return { action: 'deny', reason: verdict.because };
        const refused = outOfReach(coordinator, tool, paths);
        if (refused !== null) return { action: 'deny', reason: refused };
        const digest = callDigest(call, coordinator.getCapability('session.working_dir'));
        const exact = { agent: policy.memory_file === undefined ? null : asker.agent, tool, digest };
        if (await memory.holds(exact)) return null;
        const lasting = await lastingAnswers(call, permissions, policy.memory_file);
        const preview = await approvalPreview(coordinator, tool, input);
        const question_id = randomUUID();
        asked.set(question_id, { exact, lasting });
        return {
          action: 'ask_user',
          approval_prompt: approvalPrompt(asker, call),
          approval_subject: { tool_call_id, tool_name, tool_input, digest, question_id, preview },
          approval_options: ['Allow once', ...lasting.map(({ option }) => option), 'Deny'],
          approval_timeout: policy.timeout,
          approval_default: policy.default_on_timeout,
        };
      },
      { priority: APPROVAL_PRIORITY, name: 'hooks-approval', judges: true },
    );
    const stopHearing = hooks.listen(EVENTS.APPROVAL_GRANTED, async (_event, { question_id, answer }) => {
      const question = asked.get(String(question_id));
      asked.delete(String(question_id));
      if (!question) return;
      const given = String(answer).trim();
      const chosen = question.lasting.find(({ option }) => option === given);
      if (chosen?.rule && chosen.written) await permissions.write(chosen.rule);
      else if (chosen?.rule) permissions.allowHere(chosen.rule);
      else if (chosen || given.toLowerCase() === ALWAYS.toLowerCase()) await memory.remember(question.exact);
    });
    const stopForgetting = hooks.listen(EVENTS.APPROVAL_DENIED, (_event, { question_id }) => {
      asked.delete(String(question_id));
    });
    return () => {
      stopAsking();
      stopHearing();
      stopForgetting();
    };
  },
};
export default module;

/** The rules for a session of this plan: those of the plan, and the user's where the app has them. */
function permissionsOf(
  coordinator: Pick<Coordinator, 'getCapability'>,
  { permissions, standalone }: ApprovalPolicy,
): SessionPermissions {
  const own = readRules(permissions, 'the plan');
  const given = standalone ? null : coordinator.getCapability('session.permissions');
  if (given)
    return {
      rules: async () => [...own, ...(await given.rules())],
      allowHere: (rule) => given.allowHere(rule),
      exact: given.exact,
      file: given.file,
      write: (rule) => given.write(rule),
    };
  return {
    rules: async () => own,
    allowHere: (rule) => {
      own.push(...readRules({ allow: [rule] }, 'this conversation'));
    },
    exact: new Set(),
    file: null,
    write: () => Promise.reject(new Error('There is no file for rules here.')),
  };
}

/** Rules go before the policy, but what the policy denies stays denied. */
async function decideWith(
  rules: readonly PermissionRule[],
  policy: ApprovalPolicy,
  call: PermissionCall,
): Promise<Verdict> {
  const byPolicy = await decide(policy, call);
  return byPolicy.action === 'deny' ? byPolicy : ((await decidePermission(rules, call)) ?? byPolicy);
}

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

/**
 * What a permission is about: the tool, its whole input, the folder it acts in, and the files its paths lead to. Two calls with the
 * same digest do the same. Throws for an input that is not JSON, which denies it.
 */
function callDigest({ tool, input, paths }: PermissionCall, cwd: string | null): string {
  return jsonDigest({ tool, input, cwd, paths });
}
