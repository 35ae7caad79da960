import { describe, expect, it } from 'vitest';
import { parseSource } from './source-uri.js';

describe('a source', () => {
  it.each([
    ['git+https://host/org/repo', 'git+https', 'https://host/org/repo', null, null],
    [
      'git+https://host/org/repo@v1.2#subdirectory=a/b.yaml',
      'git+https',
      'https://host/org/repo',
      'v1.2',
      'a/b.yaml',
    ],
    ['git+https://user@host/org/repo@main', 'git+https', 'https://user@host/org/repo', 'main', null],
    ['git+ssh://git@host/org/repo', 'git+ssh', 'ssh://git@host/org/repo', null, null],
    ['git+ssh://git@host/org/repo@feature/x', 'git+ssh', 'ssh://git@host/org/repo', 'feature/x', null],
    ['git+file:///srv/repo@abc', 'git+file', 'file:///srv/repo', 'abc', null],
    ['https://host/a.zip#subdirectory=x', 'https', 'https://host/a.zip', null, 'x'],
    ['zip+https://host/a', 'zip+https', 'zip+https://host/a', null, null],
    ['s3://bucket/key', 's3', 's3://bucket/key', null, null],
    ['file:///a/b%20c#subdirectory=d/', 'path', '/a/b c', null, 'd'],
    ['/abs', 'path', '/abs', null, null],
    ['./here', 'path', './here', null, null],
    ['..', 'path', '..', null, null],
    ['~/mine', 'path', '~/mine', null, null],
    ['C:\\bundles\\x', 'path', 'C:\\bundles\\x', null, null],
    ['some-package', 'package', 'some-package', null, null],
    ['@scope/pkg/sub/dir', 'package', '@scope/pkg', null, 'sub/dir'],
    ['npm:@scope/pkg@^1.2.0', 'npm', '@scope/pkg', '^1.2.0', null],
    ['npm:pkg', 'npm', 'pkg', null, null],
  ])('%s', (text, scheme, location, ref, subdirectory) => {
    expect(parseSource(text)).toEqual({ text, scheme, location, ref, subdirectory });
  });

  it.each([
    'git+https://h/r@--upload-pack=evil',
    'git+https://h/r#subdirectory=../../etc',
    'git+https://h/r#egg=x',
    'two words',
    '',
    'npm:',
    'npm:pkg@--evil',
  ])('refuses %j with an example of what it takes', (text) => {
    expect(() => parseSource(text)).toThrow(/is not a source: .*For example: git\+https/);
  });
});
