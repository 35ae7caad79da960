import { basename } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import type { ParsedAgent } from '../agents/parse-agent.js';
import { asAgent, type MarkdownFile, readMarkdown, textOf } from './frontmatter.js';

/** opencode's tools and the module of ours that does the same. */
const TOOLS: Readonly<Record<string, string>> = {
  bash: 'tool-bash',
  grep: 'tool-search',
  glob: 'tool-search',
  webfetch: 'tool-web',
  websearch: 'tool-web',
  todowrite: 'tool-todo',
  task: 'tool-delegate',
  skill: 'tool-skills',
};

const CHANGING = ['write', 'edit', 'patch'];

/** Reads an agent of opencode's, a Markdown file named for the agent. */
export function parseOpencodeAgent(text: string, file: string): ParsedAgent {
  return opencodeAgent(readMarkdown(text, file), basename(file, '.md'));
}

/** What an agent of opencode's turns off stays off; nothing it turns on adds anything. */
export function opencodeAgent(markdown: MarkdownFile, name: string): ParsedAgent {
  const { data } = markdown.head;
  const tools = isPlainObject(data.tools) ? data.tools : {};
  const permission = isPlainObject(data.permission) ? data.permission : {};
  const off = new Set([
    ...Object.keys(tools).filter((name) => tools[name] === false),
    ...Object.keys(permission).filter((name) => permission[name] === 'deny'),
  ]);
  // One that writes is not told from another here: who may not edit a file may not write it in any way.
  const isReader = off.has('*') || CHANGING.some((name) => off.has(name));
  const excluded = off.has('*')
    ? Object.entries(TOOLS).filter(([name]) => tools[name] !== true)
    : Object.entries(TOOLS).filter(([name]) => off.has(name));
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(textOf(data.model)) ?? [];
  const steps = data.steps ?? data.maxSteps;
  const body = markdown.body || textOf(data.prompt);
  const declared: JsonObject = {
    ...(provider && model ? { provider_preferences: [{ provider, model }] } : {}),
    ...(excluded.length > 0 ? { exclude_tools: [...new Set(excluded.map(([, module]) => module))] } : {}),
    ...(isReader ? { safety_mode: 'read_only' } : {}),
    ...(typeof steps === 'number' && steps > 0 ? { limits: { max_turns: Math.floor(steps) } } : {}),
  };
  const notes = permissionNotes(permission);
  return asAgent({ ...markdown, body }, name, declared, notes);
}

function permissionNotes(permission: JsonObject) {
  return Object.entries(permission)
    .filter(([, rule]) => isPlainObject(rule))
    .map(([name]) => ({
      path: 'permission',
      message: `The rules for single uses of '${name}' are not carried over; approvals and the safety mode decide. Write them as rules of the project's settings.`,
    }));
}
