import { describe, expect, it } from 'vitest';
import { lastingAnswers } from './lasting-answers.js';

const offered = async (command: string) => {
  const call = { tool: 'bash', input: { command }, paths: [], folders: [] };
  const answers = await lastingAnswers(call, { file: '~/settings.yaml' }, undefined);
  return answers.find(({ written }) => written)?.rule ?? null;
};

describe('"allow always"', () => {
  it.each([
    ['git status --short', 'bash: git status *'],
    ['ls -la src', 'bash: ls *'],
    ['tsc --noEmit', 'bash: tsc *'],
    ['npm ls', 'bash: npm ls *'],
  ])('offers a pattern for %s', async (command, rule) => {
    expect(await offered(command)).toBe(rule);
  });

  it.each([
    'timeout 5 ls',
    'env ls',
    'nice ls',
    'setsid ls',
    'xargs ls',
    'find src -name a',
    'sudo ls',
    'sh build.sh',
    'python3.12 a.py',
    'node a.js',
    'npx tsc',
    'npm run build',
    'npm test',
    'make all',
    'git -c a=b status',
    'git rebase main',
    'awk 1 a',
    'sed -n 1p a',
    'tar tf a',
    'ssh host ls',
    'docker ps',
    'eval ls',
    'source a',
    'busybox ls',
    'uv run a',
    'vim a',
  ])('offers none for a program that may run others: %s', async (command) => {
    expect(await offered(command)).toBeNull();
  });
});
