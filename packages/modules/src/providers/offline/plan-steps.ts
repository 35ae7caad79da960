import { isPlainObject, type JsonObject, type ToolSpec } from '@amplifier/core';

interface PlannedCall {
  name: string;
  arguments: JsonObject;
}

/** Calls of one stage go out together; the next stage follows when their results are in. */
export type Stage = PlannedCall[];

export interface Plan {
  stages: Stage[];
  /** Lines that ask for a tool the session does not have. */
  impossible: string[];
}

/** Who does what: a verb at the start of a line, the tool that serves it, and the names its arguments may have. */
interface Rule {
  line: RegExp;
  tools: readonly string[];
  fill(match: RegExpExecArray, schema: JsonObject): JsonObject;
}

const RULES: readonly Rule[] = [
  {
    line: /^delegate\s+(\S+?)\s*:\s*(.+)$/i,
    tools: ['delegate', 'task'],
    fill: ([, agent = '', instruction = ''], schema) => ({
      [argument(schema, ['agent', 'agent_name'])]: agent,
      [argument(schema, ['instruction', 'task', 'prompt'])]: instruction,
    }),
  },
  {
    line: /^read\s+(\S+)$/i,
    tools: ['read_file', 'read'],
    fill: ([, path = ''], schema) => ({ [argument(schema, ['file_path', 'path'])]: path }),
  },
  {
    line: /^(?:glob|list)\s+(\S+)$/i,
    tools: ['glob', 'list_files'],
    fill: ([, pattern = ''], schema) => ({ [argument(schema, ['pattern', 'path'])]: pattern }),
  },
  {
    line: /^(?:grep|search)\s+(?:for\s+)?(.+)$/i,
    tools: ['grep', 'search'],
    fill: ([, pattern = ''], schema) => ({ [argument(schema, ['pattern', 'query'])]: unquoted(pattern) }),
  },
  {
    line: /^write\s+(\S+?)\s*:\s*(.*)$/i,
    tools: ['write_file', 'write'],
    fill: ([, path = '', content = ''], schema) => ({
      [argument(schema, ['file_path', 'path'])]: path,
      [argument(schema, ['content', 'text'])]: content,
    }),
  },
  {
    line: /^run\s*:?\s+(.+)$/i,
    tools: ['bash', 'shell'],
    fill: ([, command = ''], schema) => ({ [argument(schema, ['command'])]: command }),
  },
];

const THEN = /^then:?$/i;
const CALL = /^call\s+(\S+)\s*(\{.*\})?$/i;
const FILE = /(?:^|[\s"'`(])((?:[\w.-]+\/)*[\w-]+\.[A-Za-z]\w{0,7})(?=$|[\s"'`),.:;?!])/g;
const MOST_FILES = 3;

/**
 * What an instruction asks for, by rules a person can foresee. Lines such as `delegate AGENT: task`, `read PATH`,
 * `glob PATTERN`, `grep TEXT`, `write PATH: text`, `run COMMAND` and `call TOOL {json}` are carried out as they stand,
 * `then` parts the stages. Without any such line the files an instruction names are read; if it names none, the folder
 * is listed.
 */
export function planSteps(instruction: string, tools: readonly ToolSpec[]): Plan {
  const lines = instruction.split('\n').map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])?\s*/, '').trim());
  const plan: Plan = { stages: [[]], impossible: [] };
  for (const line of lines) {
    if (THEN.test(line)) plan.stages.push([]);
    else takeLine(plan, line, tools);
  }
  const stages = plan.stages.filter((stage) => stage.length > 0);
  if (stages.length > 0 || plan.impossible.length > 0) return { ...plan, stages };
  const look = lookAround(instruction, tools);
  return { stages: look.length > 0 ? [look] : [], impossible: [] };
}

function takeLine(plan: Plan, line: string, tools: readonly ToolSpec[]): void {
  const stage = plan.stages.at(-1) as Stage;
  const direct = CALL.exec(line);
  if (direct) {
    const [, name = '', json = '{}'] = direct;
    const input = parseObject(json);
    if (input && tools.some((tool) => tool.name === name)) stage.push({ name, arguments: input });
    else plan.impossible.push(line);
    return;
  }
  for (const rule of RULES) {
    const match = rule.line.exec(line);
    if (!match) continue;
    const tool = findTool(rule.tools, tools);
    if (tool) stage.push({ name: tool.name, arguments: rule.fill(match, tool.parameters) });
    else plan.impossible.push(line);
    return;
  }
}

function lookAround(instruction: string, tools: readonly ToolSpec[]): Stage {
  const read = findTool(['read_file', 'read'], tools);
  const files = [...new Set([...instruction.matchAll(FILE)].map(([, file = '']) => file))].slice(
    0,
    MOST_FILES,
  );
  if (read && files.length > 0) {
    const name = argument(read.parameters, ['file_path', 'path']);
    return files.map((file) => ({ name: read.name, arguments: { [name]: file } }));
  }
  const glob = findTool(['glob'], tools);
  if (!glob) return [];
  return [{ name: glob.name, arguments: { [argument(glob.parameters, ['pattern'])]: '*' } }];
}

function findTool(names: readonly string[], tools: readonly ToolSpec[]): ToolSpec | undefined {
  for (const name of names) {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool) return tool;
  }
  return undefined;
}

/** The first name the tool's schema knows. */
function argument(schema: JsonObject, names: readonly [string, ...string[]]): string {
  const properties = isPlainObject(schema.properties) ? schema.properties : {};
  return names.find((name) => Object.hasOwn(properties, name)) ?? names[0];
}

function unquoted(text: string): string {
  return /^(["'`])(.*)\1$/.exec(text.trim())?.[2] ?? text.trim();
}

function parseObject(json: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(json);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}
