import { isDeepStrictEqual } from 'node:util';
import { isPlainObject } from '@amplifier/core';
import { type Document, isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';

const LIST = ['delegation', 'trusted_workspaces'];

/** The trusted folders in a settings text, or what is wrong with it. */
export function readTrustedList(text: string): { list: string[] } | { problem: string } {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) return { problem: error.message };
  const settings: unknown = document.toJS() ?? {};
  if (!isPlainObject(settings)) return { problem: 'it is not a mapping' };
  const section = settings.delegation ?? {};
  if (!isPlainObject(section)) return { problem: 'delegation is not a mapping' };
  const list = section.trusted_workspaces ?? [];
  if (Array.isArray(list) && list.every((entry) => typeof entry === 'string')) return { list };
  return { problem: 'delegation.trusted_workspaces is not a list of folders' };
}

/**
 * The text with another list in it. Lines come and go in place, so that everything else stays to the letter; where the list is
 * written in a way that does not allow it, the document is written anew with its comments. `text` must be readable.
 */
export function editTrustedList(text: string, after: readonly string[]): string {
  const wanted = parseDocument(text);
  if (!isMap(wanted.get('delegation', true))) wanted.set('delegation', wanted.createNode({}));
  wanted.setIn(LIST, wanted.createNode([...after]));
  const edited = editLines(text, after);
  const fits = edited !== null && isDeepStrictEqual(settingsIn(edited), wanted.toJS());
  return fits ? edited : wanted.toString({ lineWidth: 0 });
}

function settingsIn(text: string): unknown {
  const document = parseDocument(text);
  if (document.errors.length > 0) return undefined;
  const value: unknown = document.toJS();
  const list = readTrustedList(text);
  if (!isPlainObject(value) || !isPlainObject(value.delegation) || 'problem' in list) return undefined;
  return { ...value, delegation: { ...value.delegation, trusted_workspaces: list.list } };
}

function editLines(text: string, after: readonly string[]): string | null {
  const document = parseDocument(text);
  const section = document.get('delegation', true);
  const list = document.getIn(LIST, true);
  const line = (entry: string, indent: string) => `${indent}- ${stringify(entry, { lineWidth: 0 })}`;
  if (section === undefined) {
    const lead = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    const entries = after.map((entry) => line(entry, '    ')).join('');
    return `${lead}delegation:\n  trusted_workspaces:\n${entries}`;
  }
  if (list === undefined) return insertList(document, text, after, line);
  if (!isSeq(list) || list.flow) return null;
  return editItems(text, list.items, after, line);
}

type Line = (entry: string, indent: string) => string;

function insertList(document: Document, text: string, after: readonly string[], line: Line): string | null {
  const section = document.get('delegation', true);
  const first = isMap(section) && !section.flow ? section.items[0]?.key : undefined;
  const start = isScalar(first) ? first.range?.[0] : undefined;
  if (start === undefined) return null;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const indent = text.slice(lineStart, start);
  if (indent.trim() !== '') return null;
  const entries = after.map((entry) => line(entry, `${indent}  `)).join('');
  return `${text.slice(0, lineStart)}${indent}trusted_workspaces:\n${entries}${text.slice(lineStart)}`;
}

function editItems(
  text: string,
  items: readonly unknown[],
  after: readonly string[],
  line: Line,
): string | null {
  let edited = text;
  let end = -1;
  let indent = '';
  const before: string[] = [];
  for (const item of items.toReversed()) {
    if (!isScalar(item) || !item.range) return null;
    const [start, valueEnd] = item.range;
    const lineStart = text.lastIndexOf('\n', start) + 1;
    const newline = text.indexOf('\n', valueEnd);
    const lineEnd = newline === -1 ? text.length : newline + 1;
    indent = /^(\s*)-\s/.exec(text.slice(lineStart))?.[1] ?? '';
    if (end === -1) end = lineEnd;
    before.push(String(item.value));
    if (after.includes(String(item.value))) continue;
    edited = edited.slice(0, lineStart) + edited.slice(lineEnd);
    end -= lineEnd - lineStart;
  }
  if (end === -1) return null;
  const lead = edited.slice(0, end);
  const added = after.filter((entry) => !before.includes(entry)).map((entry) => line(entry, indent));
  return `${lead}${lead.endsWith('\n') || lead === '' ? '' : '\n'}${added.join('')}${edited.slice(end)}`;
}
