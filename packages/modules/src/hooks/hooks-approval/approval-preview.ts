import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Coordinator, isPlainObject, type JsonObject } from '@amplifier/core';
import { type Grant, sandboxWords } from '@amplifier/workspace';
import { structuredPatch } from 'diff';
import { sessionSandbox } from '../../tools/tool-bash/session-sandbox.js';
import { replaceText, type TextEdit } from '../../tools/tool-filesystem/replace-text.js';

/** What a person should see before they say yes. Plain data: each entry point shows it in its own way. */
export type ApprovalPreview =
  | {
      kind: 'change';
      file: string;
      is_new: boolean;
      added: number;
      removed: number;
      lines: PreviewLine[];
      left_out: number;
    }
  | { kind: 'command'; command: string; cwd: string; sandbox: string }
  | { kind: 'address'; url: string; host: string }
  | { kind: 'delegation'; agent: string; model: string; budget: string; instruction: string };

export interface PreviewLine {
  sign: '+' | '-' | ' ' | '@';
  /** Its number in the file, after the change for what is added, before it for what is removed; 0 between two places. */
  number: number;
  text: string;
}

/** Larger files are asked about without their changes. */
const MAX_FILE_BYTES = 2_000_000;
const MAX_LINES = 400;
const MAX_LINE = 2_000;
const CONTEXT = 3;

/** Null where there is nothing to show beside the question. Never rejects: a file that cannot be read is asked about by its name. */
export async function approvalPreview(
  coordinator: Coordinator,
  tool: string,
  input: JsonObject,
): Promise<ApprovalPreview | null> {
  const cwd = coordinator.getCapability('session.working_dir') ?? process.cwd();
  if (tool === 'bash')
    return commandPreview(coordinator, String(input.command), resolve(cwd, textOf(input.cwd)));
  if (tool === 'web_fetch') {
    const url = String(input.url);
    return { kind: 'address', url, host: URL.canParse(url) ? new URL(url).hostname : '' };
  }
  if (tool === 'delegate' || tool === 'task') return delegationPreview(input);
  const path = textOf(input.file_path) || textOf(input.path);
  if (!['write_file', 'edit_file', 'multi_edit'].includes(tool) || path === '') return null;
  return changePreview(coordinator, tool, path, resolve(cwd, path), input).catch(() => null);
}

async function commandPreview(
  coordinator: Coordinator,
  command: string,
  cwd: string,
): Promise<ApprovalPreview> {
  const grant = coordinator.getCapability('session.grant') as Grant | null;
  const sandbox = await sessionSandbox(coordinator)().catch(() => null);
  return { kind: 'command', command, cwd, sandbox: sandboxWords(sandbox, grant) };
}

function delegationPreview(input: JsonObject): ApprovalPreview {
  const preferences = Array.isArray(input.provider_preferences) ? input.provider_preferences : [];
  const named = preferences
    .filter(isPlainObject)
    .map(({ provider, model }) => [provider, model].filter(Boolean).join('/'));
  const role = textOf(input.model_role);
  const limits = isPlainObject(input.limits)
    ? Object.entries(input.limits).map(([name, value]) => `${name} ${value}`)
    : [];
  const time = typeof input.timeout === 'number' ? [`${input.timeout} s`] : [];
  return {
    kind: 'delegation',
    agent: textOf(input.agent) || textOf(input.subagent_type) || textOf(input.session_id) || 'itself',
    model: named.join(', ') || (role ? `as its role '${role}' is configured` : 'as configured for the agent'),
    budget: [...limits, ...time].join(', ') || 'what is left of this session’s',
    instruction: textOf(input.instruction) || textOf(input.prompt),
  };
}

async function changePreview(
  coordinator: Coordinator,
  tool: string,
  file: string,
  path: string,
  input: JsonObject,
): Promise<ApprovalPreview | null> {
  const before = await textBefore(coordinator, path);
  const after = textAfter(tool, file, before ?? '', input);
  if (after === null) return null;
  const { hunks } = structuredPatch(file, file, before ?? '', after, '', '', { context: CONTEXT });
  const lines = hunks.flatMap(({ oldStart, newStart, lines: changed }, index) => {
    let [old, now] = [oldStart, newStart];
    const shown = changed
      .filter((line) => !line.startsWith('\\'))
      .map((line): PreviewLine => {
        const sign = line[0] as '+' | '-' | ' ';
        const number = sign === '-' ? old : now;
        if (sign !== '+') old++;
        if (sign !== '-') now++;
        return { sign, number, text: line.slice(1, MAX_LINE) };
      });
    return index === 0 ? shown : [{ sign: '@' as const, number: 0, text: '' }, ...shown];
  });
  const count = (sign: string) => lines.filter((line) => line.sign === sign).length;
  return {
    kind: 'change',
    file,
    is_new: before === null,
    added: count('+'),
    removed: count('-'),
    lines: lines.slice(0, MAX_LINES),
    left_out: Math.max(0, lines.length - MAX_LINES),
  };
}

/** Null when there is no such file yet. */
async function textBefore(coordinator: Coordinator, path: string): Promise<string | null> {
  const inEditor = await coordinator.getCapability('session.editor_files')?.read(path);
  if (inEditor != null) return inEditor;
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return null;
  if (!found.isFile() || found.size > MAX_FILE_BYTES) throw new Error('There is nothing to show of it.');
  return readFile(path, 'utf8');
}

/** Null when the call cannot be carried out as it is; the tool says why. */
function textAfter(tool: string, file: string, before: string, input: JsonObject): string | null {
  if (tool === 'write_file')
    return typeof input.content === 'string' ? input.content.slice(0, MAX_FILE_BYTES) : null;
  const edits = tool === 'edit_file' ? [input] : Array.isArray(input.edits) ? input.edits : [];
  return edits.filter(isPlainObject).reduce<string>((text, { old_string, new_string, replace_all }) => {
    const edit: TextEdit = {
      old_string: String(old_string),
      new_string: String(new_string),
      replace_all: replace_all === true,
    };
    return replaceText(file, text, edit).text;
  }, before);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
