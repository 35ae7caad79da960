import { isPlainObject, type JsonObject, type ToolContext } from '@amplifier/core';
import { requireGrant } from '../session-grant.js';
import { ToolError } from '../tool-error.js';
import type { FoundSkill } from './find-skills.js';

/** What the app registers as `session.spawn`: starts a child and resolves to its result. */
type SpawnChild = (request: JsonObject) => Promise<unknown>;

/** Runs a skill as a child of this session, on the model the skill asks for. */
export async function runSkill(
  skill: FoundSkill,
  task: string | undefined,
  context: ToolContext,
): Promise<JsonObject> {
  requireGrant(context, { kind: 'delegate', agent: `the skill '${skill.name}'` });
  const { name, instructions, provider_preferences, model_role } = skill;
  const spawn = spawnOf(context, name);
  const result = await spawn({
    agent: 'self',
    instruction: task === undefined ? instructions : `${instructions}\n\n# Task\n\n${task}`,
    ...(provider_preferences ? { provider_preferences } : {}),
    ...(model_role === undefined ? {} : { model_role }),
    context_depth: 'none',
    tool_call_id: context.tool_call_id,
    parallel_group_id: context.parallel_group_id,
    metadata: { skill: name },
  });
  if (!isPlainObject(result))
    throw new ToolError(
      'SPAWN_UNAVAILABLE',
      `The child that ran the skill '${name}' came back without a result.`,
    );
  const { output, session_id, status = 'success' } = result;
  const answer = { skill_name: name, session_id, status, response: output };
  if (status !== 'success')
    throw new ToolError(
      'SPAWN_UNAVAILABLE',
      `The child that ran the skill '${name}' ended with status ${status}.`,
      { output: answer },
    );
  return answer;
}

function spawnOf({ coordinator }: ToolContext, name: string): SpawnChild {
  const spawn: unknown = coordinator.getCapability('session.spawn');
  if (typeof spawn === 'function') return spawn as SpawnChild;
  throw new ToolError(
    'SPAWN_UNAVAILABLE',
    `The skill '${name}' runs as a child of its own, and this app offers no way to start one (session.spawn).`,
  );
}
