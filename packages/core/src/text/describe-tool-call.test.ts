import { expect, it } from 'vitest';
import { describeToolCall, toolSubject } from './describe-tool-call.js';

it.each([
  ['read_file', { file_path: 'a.md', limit: 3 }, 'read_file a.md'],
  ['bash', { command: 'ls -l\n  rm x' }, 'bash ls -l rm x'],
  ['grep', { pattern: 'x', path: 'src' }, 'grep src'],
  ['delegate', { agent: 'scout', instruction: 'Look.' }, 'delegate scout: Look.'],
  ['delegate', { session_id: 'child-1', instruction: 'Again.' }, 'delegate agent: Again.'],
  ['delegate', { agent: 'scout' }, 'delegate scout'],
  ['edit', { title: 'Change a.txt', kind: 'edit', path: 'a.txt' }, 'edit: Change a.txt'],
  ['create_issue', { number: 1, repository: 'one/two' }, 'create_issue one/two'],
  ['todo', { todos: [] }, 'todo'],
  ['todo', undefined, 'todo'],
])('describes %s with %o', (tool, input, words) => {
  expect(describeToolCall(tool, input)).toBe(words);
});

it('keeps to one line of the given length', () => {
  const input = { command: 'a very long command '.repeat(40) };
  expect(describeToolCall('bash', input, 20)).toBe('bash a very long com…');
  expect(toolSubject('bash', input).length).toBeLessThanOrEqual(201);
});
