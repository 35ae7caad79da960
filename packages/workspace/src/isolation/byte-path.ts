/**
 * File names are bytes, not text: a name in latin-1 must come through whole. Inside this package a path below a tree is a
 * string with one character for each byte; `encodeName` gives the form that is stored and shown.
 */
export type BytePath = string;

const ENCODED = 'base64:';

function bytePathOf(text: string): BytePath {
  return Buffer.from(text).toString('latin1');
}

/** The name as text when it is UTF-8, else its bytes in base64 behind a mark. */
export function encodeName(path: BytePath): string {
  const bytes = Buffer.from(path, 'latin1');
  const text = bytes.toString();
  return bytePathOf(text) === path && !text.startsWith(ENCODED) ? text : ENCODED + bytes.toString('base64');
}

export function decodeName(name: string): BytePath {
  return name.startsWith(ENCODED)
    ? Buffer.from(name.slice(ENCODED.length), 'base64').toString('latin1')
    : bytePathOf(name);
}

/** Where the entry is on disk, for node's file functions. */
export function onDisk(root: string, path: BytePath): Buffer {
  return path === ''
    ? Buffer.from(root)
    : Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

const ASCII = /^[\x20-\x7e]*$/;

/** The same place; a string where that is possible, which is faster for calls on many entries. */
export function quickOnDisk(root: string, path: BytePath): Buffer | string {
  return ASCII.test(path) ? `${root}/${path}` : onDisk(root, path);
}

/** The path of an entry of the folder at `path`; `''` is the root. */
export function within(path: BytePath, name: BytePath): BytePath {
  return path === '' ? name : `${path}/${name}`;
}

export function parentOf(path: BytePath): BytePath {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/** Every folder above the path, outermost first, without the root. */
export function foldersAbove(path: BytePath): BytePath[] {
  const parent = parentOf(path);
  return parent === '' ? [] : [...foldersAbove(parent), parent];
}

export function depthOf(path: BytePath): number {
  return path.split('/').length;
}
