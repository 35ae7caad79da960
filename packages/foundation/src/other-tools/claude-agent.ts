import { basename } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import type { ParsedAgent } from '../agents/parse-agent.js';
import type { YamlMapping } from '../documents/parse-yaml.js';
import { FoundationError, formatPlace } from '../errors.js';
import { agentHooks } from './claude-hooks.js';
import { agentServers } from './claude-servers.js';
import { asAgent, type Note, namesOf, readMarkdown, textOf } from './frontmatter.js';
import { isNeedless, moduleOfTool, onlyReads, singleTools } from './tool-names.js';

/** Claude Code's words for models, as roles: any provider may serve them. */
const ROLES: Readonly<Record<string, string[]>> = {
  haiku: ['fast', 'general'],
  sonnet: ['coding', 'general'],
  opus: ['reasoning', 'general'],
  opusplan: ['reasoning', 'general'],
  best: ['reasoning', 'general'],
};

/** What of a file is not carried over, and why. */
const NOT_CARRIED: Readonly<Record<string, string>> = {
  memory: 'An agent has no memory of its own here; it is resumed by its session id.',
  isolation: 'The caller decides whether the agent works in an isolated tree.',
  background: 'The caller decides whether the agent works in the background.',
};

/**
 * Reads an agent of Claude Code's. Beside MCP servers of its own, all it says can only narrow what a child gets: its tools are those of
 * its parent that it lists, and no permission mode gives it more than its parent has.
 */
export function parseClaudeAgent(text: string, file: string): ParsedAgent {
  const markdown = readMarkdown(text, file);
  const { head } = markdown;
  const { data } = head;
  const name = textOf(data.name) || basename(file, '.md');
  const notes: Note[] = [];
  // A rule for some uses of a tool is taken for all of them: less than was allowed is safe, more is not.
  const denied = namesOf(data.disallowedTools).map((name) => name.replace(/\(.*$/, ''));
  const { names, agents } = withoutAgents(namesOf(data.tools));
  const { named, own } = agentServers(data.mcpServers);
  if (data.tools != null) names.push(...named.map((server) => `mcp__${server}`));
  const listed = names.filter((name) => !denied.includes(name) && !isNeedless(name));
  const isOpen = data.tools === undefined || data.tools === null || listed.includes('*');
  const usable = listed.filter((name) => name !== '*' && moduleOfTool(name) !== null);
  const unknown = listed.filter((name) => name !== '*' && !usable.includes(name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => `'${name}'`).join(', ');
    const message = `There is no counterpart to ${names}, so the agent does not get ${unknown.length > 1 ? 'them' : 'it'}.`;
    notes.push({ path: 'tools', message });
  }
  for (const [path, message] of Object.entries(NOT_CARRIED))
    if (data[path] !== undefined && data[path] !== false) notes.push({ path, message });
  const changing = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];
  const isReader =
    textOf(data.permissionMode) === 'plan' ||
    (!isOpen && onlyReads([...usable, ...Object.keys(own).map((server) => `mcp__${server}`)])) ||
    // What may not be written to by one tool must not be by another.
    denied.some((name) => changing.includes(name));
  const excluded = denied
    .filter((name) => !changing.includes(name))
    .flatMap((name) => moduleOfTool(name) ?? []);
  const single = singleTools(usable.map((name) => name.replace(/\(.*$/, '')));
  const skills = namesOf(data.skills);
  const turns = data.maxTurns;
  const hooks = hooksOf(data.hooks, name, head, notes);
  const listedServers = usable.flatMap((name) => /^mcp__(.+?)(?:__.*)?$/.exec(name)?.[1] ?? []);
  const servers = [...listedServers, ...named];
  const declared: JsonObject = {
    ...(servers.length > 0 ? { needs_servers: [...new Set(servers)] } : {}),
    ...modelOf(textOf(data.model), textOf(data.effort)),
    ...hooks,
    ...(Object.keys(own).length > 0 ? { tools: [{ module: 'tool-mcp', config: { servers: own } }] } : {}),
    ...(agents === null ? {} : { agents }),
    ...(isOpen ? {} : { inherit_tools: [...new Set(usable.map((name) => moduleOfTool(name) ?? ''))] }),
    ...(isOpen || Object.keys(single).length === 0 ? {} : { only_tools: single }),
    ...(excluded.length > 0 ? { exclude_tools: [...new Set(excluded)] } : {}),
    ...(isReader ? { safety_mode: 'read_only' } : {}),
    ...(skills.length > 0 ? { skills } : {}),
    ...(typeof turns === 'number' && Number.isInteger(turns) && turns > 0
      ? { limits: { max_turns: turns } }
      : {}),
  };
  return asAgent(markdown, name, declared, notes);
}

/** Throws for hooks that cannot be read: one of them may be a guard. */
function hooksOf(said: unknown, agent: string, head: YamlMapping, notes: Note[]): JsonObject {
  if (said === undefined || said === null) return {};
  if (!isPlainObject(said)) {
    const place = head.placeOf(['hooks']);
    const message = `${formatPlace(place)}: 'hooks' is no mapping of events. Correct it or remove it.`;
    throw new FoundationError(message, { code: 'INVALID_AGENT', place });
  }
  const { hooks, left_out } = agentHooks(said, agent);
  if (left_out.length > 0)
    notes.push({
      path: 'hooks',
      message: `The hooks ${left_out.join(', ')} have no counterpart and are not run.`,
    });
  if (hooks.length === 0) return {};
  return { hooks: [{ module: 'hooks-shell', id: `hooks-shell:${agent}`, config: { hooks } }] };
}

/** `Agent(a, b)` names those to whom the agent may delegate in turn; null where nothing is said of them. */
function withoutAgents(listed: readonly string[]): { names: string[]; agents: string[] | null } {
  let agents: string[] | null = null;
  const names = listed.map((name) => {
    const [, tool = name, inner] = /^(Agent|Task)\((.*)\)$/.exec(name) ?? [];
    if (inner !== undefined) agents = [...(agents ?? []), ...namesOf(inner)];
    return tool;
  });
  return { names, agents };
}

/** Claude Code's word for a model, as an agent of ours says it. */
export function modelOf(said: string, effort = ''): JsonObject {
  const model = said.replace(/\[1m\]$/, '');
  if (['', 'inherit', 'default'].includes(model)) return {};
  if (Object.hasOwn(ROLES, model)) return { model_role: ROLES[model] };
  const config = effort === '' ? {} : { config: { reasoning_effort: effort } };
  // A family of models that is newer than this list, by its name alone.
  const wanted = /^[a-z]+$/.test(model) ? `claude-${model}-*` : model;
  return { provider_preferences: [{ provider: 'anthropic', model: wanted, ...config }] };
}
