import { dirname, resolve } from 'node:path';
import {
  type ApprovalPreview,
  type Coordinator,
  isPlainObject,
  type JsonObject,
  moreCharacters,
  type PreviewDrawing,
  type PreviewLine,
  previewMembers,
  shorten,
} from '@amplifier/core';
import { type Grant, openInside, resolveInside, sandboxWords } from '@amplifier/workspace';
import { structuredPatch } from 'diff';
import { EDIT_MAX_EDITS } from '../../tools/defaults.js';
import { grantOf, placeNamed } from '../../tools/session-grant.js';
import { sessionSandbox } from '../../tools/tool-bash/session-sandbox.js';
import { readInEditor } from '../../tools/tool-filesystem/editor-text.js';
import { replaceText, type TextEdit } from '../../tools/tool-filesystem/replace-text.js';

/** Larger files are asked about without their changes. */
const MAX_FILE_BYTES = 2_000_000;
const MAX_LINES = 400;
const MAX_LINE = 2_000;
const CONTEXT = 3;
/** Comparing very different texts takes the square of their lines, and nothing else runs meanwhile. */
const DIFF_LIMITS = { maxEditLength: 2_000, timeout: 200 };
/** Removed lines in the summary of a change that is too large to compare. */
const SUMMARY_REMOVED = 20;

/** Never rejects: a change that cannot be drawn, such as one of a large file, is shown by its input. */
export async function approvalPreview(
  coordinator: Coordinator,
  tool: string,
  input: JsonObject,
): Promise<ApprovalPreview> {
  const { drawing, drawn } = (await draw(coordinator, tool, input)) ?? INPUT;
  return { ...drawing, ...previewMembers(input, drawn) };
}

/** A drawing, and the members that it shows. */
interface Drawn {
  drawing: PreviewDrawing;
  drawn: readonly string[];
}

const INPUT: Drawn = { drawing: { kind: 'input' }, drawn: [] };

async function draw(coordinator: Coordinator, tool: string, input: JsonObject): Promise<Drawn | null> {
  const cwd = coordinator.getCapability('session.working_dir') ?? process.cwd();
  if (tool === 'bash') {
    const folder = resolve(cwd, textOf(input.cwd));
    const drawing = await commandPreview(coordinator, String(input.command), folder);
    return { drawing, drawn: ['command', 'cwd'] };
  }
  if (tool === 'web_fetch') {
    const url = String(input.url);
    const host = URL.canParse(url) ? new URL(url).hostname : '';
    return { drawing: { kind: 'address', url, host }, drawn: ['url'] };
  }
  if (tool === 'delegate' || tool === 'task') return delegationPreview(input);
  const members = CHANGE_MEMBERS[tool];
  const path = textOf(input.file_path);
  if (!members || path === '') return null;
  const change = await changePreview(coordinator, tool, path, resolve(cwd, path), input).catch(() => null);
  return change && { drawing: change, drawn: ['file_path', ...members] };
}

const EDIT_MEMBERS = ['old_string', 'new_string', 'replace_all'];
const CHANGE_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  write_file: ['content'],
  edit_file: EDIT_MEMBERS,
  multi_edit: ['edits'],
};

async function commandPreview(
  coordinator: Coordinator,
  command: string,
  cwd: string,
): Promise<PreviewDrawing> {
  const grant = coordinator.getCapability('session.grant') as Grant | null;
  const sandbox = await sessionSandbox(coordinator)().catch(() => null);
  return { kind: 'command', command, cwd, sandbox: sandboxWords(sandbox, grant) };
}

function delegationPreview(input: JsonObject): Drawn {
  const preferences = Array.isArray(input.provider_preferences) ? input.provider_preferences : [];
  const named = preferences
    .filter(isPlainObject)
    .map(({ provider, model }) => [provider, model].filter(Boolean).join('/'));
  const role = textOf(input.model_role);
  const drawing = {
    kind: 'delegation' as const,
    agent: textOf(input.agent) || textOf(input.session_id) || 'itself',
    model: named.join(', ') || (role ? `as its role '${role}' is configured` : 'as configured for the agent'),
    instruction: textOf(input.instruction),
  };
  return { drawing, drawn: ['agent', 'instruction', ...(textOf(input.agent) === '' ? ['session_id'] : [])] };
}

async function changePreview(
  coordinator: Coordinator,
  tool: string,
  file: string,
  path: string,
  input: JsonObject,
): Promise<PreviewDrawing | null> {
  const before = await textBefore(coordinator, path);
  const after = textAfter(tool, file, before ?? '', input);
  if (after === null) return null;
  const options = { context: CONTEXT, ...DIFF_LIMITS };
  const patch = structuredPatch(file, file, before ?? '', after, '', '', options);
  if (patch === undefined) return changeSummary(file, before, after);
  const lines = patch.hunks.flatMap(({ oldStart, newStart, lines: changed }, index) => {
    let [old, now] = [oldStart, newStart];
    const shown = changed
      .filter((line) => !line.startsWith('\\'))
      .map((line): PreviewLine => {
        const sign = line[0] as '+' | '-' | ' ';
        const number = sign === '-' ? old : now;
        if (sign !== '+') old++;
        if (sign !== '-') now++;
        return { sign, number, text: shorten(line.slice(1), MAX_LINE, moreCharacters) };
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

/** For texts that are too different to compare: their lines from the first that differs on. */
function changeSummary(file: string, before: string | null, after: string): PreviewDrawing {
  const [old, now] = [linesOf(before ?? ''), linesOf(after)];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same++;
  const shown = (sign: '+' | '-', lines: readonly string[], limit: number) =>
    lines.slice(same, same + limit).map(
      (line, at): PreviewLine => ({
        sign,
        number: same + at + 1,
        text: shorten(line, MAX_LINE, moreCharacters),
      }),
    );
  const removed = shown('-', old, SUMMARY_REMOVED);
  const added = shown('+', now, MAX_LINES - 1 - removed.length);
  const text = `The difference is too large to be shown whole: ${old.length} lines before, ${now.length} after. First lines that differ:`;
  return {
    kind: 'change',
    file,
    is_new: before === null,
    added: now.length - same,
    removed: old.length - same,
    lines: [{ sign: ' ', number: 0, text }, ...removed, ...added],
    left_out: old.length + now.length - 2 * same - removed.length - added.length,
  };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * The text of the file that the tool would change, or null when there is no such file yet. Opened with the rights of the session and
 * without following links: a command may replace the file by a link while the question is drawn.
 */
async function textBefore(coordinator: Coordinator, path: string): Promise<string | null> {
  const place = placeNamed({ coordinator }, 'write', path);
  const grant = grantOf({ coordinator });
  try {
    await using file = await openInside(grant, 'read', place, { cwd: dirname(place) });
    const resolved = await resolveInside(grant, 'read', place, dirname(place));
    const inEditor = resolved.allowed ? await readInEditor({ coordinator }, resolved.path) : null;
    if (inEditor !== null) return inEditor;
    if ((await file.stat()).size > MAX_FILE_BYTES) throw new Error('The file is too large to be shown.');
    return await file.readFile('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Null when the call cannot be carried out as it is; the tool says why. */
function textAfter(tool: string, file: string, before: string, input: JsonObject): string | null {
  if (tool === 'write_file') {
    const { content } = input;
    return typeof content === 'string' && content.length <= MAX_FILE_BYTES ? content : null;
  }
  const edits = tool === 'edit_file' ? [input] : Array.isArray(input.edits) ? input.edits : [];
  if (edits.length > EDIT_MAX_EDITS) return null;
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
