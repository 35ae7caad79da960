import { join } from 'node:path';
import type { JsonObject } from '@amplifier/core';
import type { DocumentName, SessionDocuments } from '../records.js';
import { DOCUMENT_FILES } from './layout.js';
import { recordText } from './record-text.js';
import { writeAtomic } from './write-atomic.js';

export function documentText(name: DocumentName, document: JsonObject | string): string {
  return typeof document === 'string' ? document : recordText([document], DOCUMENT_FILES[name]);
}

export function writeDocument(
  folder: string,
  name: DocumentName,
  document: JsonObject | string,
): Promise<void> {
  return writeAtomic(join(folder, DOCUMENT_FILES[name]), documentText(name, document));
}

export function parseDocument<Name extends DocumentName>(name: Name, text: string): SessionDocuments[Name] {
  return name === 'bundle' ? (text as SessionDocuments[Name]) : JSON.parse(text);
}
