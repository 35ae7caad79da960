import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  closestNames,
  isPlainObject,
  type JsonObject,
  shortLine,
  type Tool,
  type ToolContext,
} from '@amplifier/core';
import { z } from 'zod';
import { SKILL_DESCRIPTION_CHARACTERS, SKILL_FILES } from '../defaults.js';
import { defineTool } from '../define-tool.js';
import { requireGrant } from '../session-grant.js';
import { ToolError } from '../tool-error.js';
import type { FoundSkill } from './find-skills.js';
import { runsAsChild } from './parse-skill.js';

export const SKILL_LOADED = 'skill:loaded';

const Input = z.object({
  skill_name: z.string().optional().describe('The skill to load. Without it, the skills are listed'),
  search: z.string().optional().describe('List only skills whose name or description contains this'),
  task: z.string().optional().describe('For a skill that runs on its own: what it is to do'),
});

export function skillTool(skills: ReadonlyMap<string, FoundSkill>): Tool {
  return defineTool({
    name: 'load_skill',
    description: describe(skills),
    input: Input,
    async run({ skill_name, search, task }, context) {
      if (skill_name === undefined) return { skills: list(skills, search) };
      const skill = skills.get(skill_name);
      if (!skill) throw unknown(skill_name, skills);
      const how = runsAsChild(skill) ? 'child' : 'inline';
      await context.coordinator.hooks.emit(SKILL_LOADED, {
        skill_name,
        folder: skill.folder,
        how,
        tool_call_id: context.tool_call_id,
      });
      if (how === 'child') return runSkill(skill, task, context);
      const files = await filesOf(skill.folder);
      return { skill_name, instructions: skill.instructions, folder: skill.folder, files };
    },
  });
}

function describe(skills: ReadonlyMap<string, FoundSkill>): string {
  const intro =
    'Load a skill: instructions for a kind of task, written by people who know it. Load one when its description fits.';
  if (skills.size === 0) return `${intro} There are no skills at the moment.`;
  const lines = [...skills.values()].map(
    ({ name, description }) => `- ${name}: ${shortLine(description, SKILL_DESCRIPTION_CHARACTERS)}`,
  );
  return `${intro}\nSkills:\n${lines.join('\n')}`;
}

function list(skills: ReadonlyMap<string, FoundSkill>, search = '') {
  const wanted = search.toLowerCase();
  return [...skills.values()]
    .filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(wanted))
    .map((skill) => ({
      name: skill.name,
      description: skill.description,
      runs_as_child: runsAsChild(skill),
    }));
}

function unknown(name: string, skills: ReadonlyMap<string, FoundSkill>): ToolError {
  const [guess] = closestNames(name, [...skills.keys()]);
  const hint = guess
    ? ` Did you mean '${guess}'?`
    : ` There are: ${[...skills.keys()].join(', ') || 'none'}.`;
  return new ToolError('NOT_FOUND', `There is no skill '${name}'.${hint}`);
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => file !== 'SKILL.md')
    .sort()
    .slice(0, SKILL_FILES);
}

/** What the app registers as `session.spawn`: starts a child and resolves to its result. */
type SpawnChild = (request: JsonObject) => Promise<unknown>;

/** Runs a skill as a child of this session, on the model the skill asks for. */
async function runSkill(
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
