import { describe, expect, it } from 'vitest';
import { checkGrant } from '../grant/check-grant.js';
import { grantForSafetyMode, SafetyMode } from '../grant/safety-mode.js';

const writes = (mode: SafetyMode, path: string, cwd = '/home/me') =>
  checkGrant(
    grantForSafetyMode(mode, {
      cwd,
      trusted: true,
      home: '/home/me',
      homes: [],
      locked: ['/home/me/run.sh'],
    }),
    { kind: 'write', path: `/home/me/${path}` },
  ).allowed;

describe('files that act later', () => {
  it.each([
    '.amplifier/agents/new.md',
    '.amplifier/settings.yaml',
    '.git/hooks/pre-commit',
    '.git/config',
    '.vscode/tasks.json',
    '.github/workflows/ci.yml',
    '.claude/agents/new.md',
    '.claude/skills/new/SKILL.md',
    '.opencode/agent/new.md',
    '.bashrc',
    'run.sh',
    '.amplifier/hooks/gate/hooks.json',
    '.git/index',
    'docs/.git/config',
    'packages/a/.Cargo/Config.toml',
    '.unknownrc',
    '.config/unknown/init',
    '.local/share/unknown',
    '.gitignore',
    '.\u200cprofile',
    'bin/unknown',
  ])('%s can be written in yolo mode alone', (path) => {
    expect(SafetyMode.options.filter((mode) => writes(mode, path))).toEqual(['yolo']);
  });

  it('are no reason to keep others out of reach', () => {
    for (const path of [
      'src/a.ts',
      'src/.gitignore',
      'src/.github/README.md',
      'src/.unknownrc',
      '.cache/a',
      '.npm/a',
    ])
      expect(
        SafetyMode.options.filter((mode) => writes(mode, path)),
        path,
      ).toEqual(['write', 'yolo']);
    for (const path of ['.config/me/a', '.config/me/.unknownrc'])
      expect(
        SafetyMode.options.filter((mode) => writes(mode, path, '/home/me/.config/me')),
        path,
      ).toEqual(['write', 'yolo']);
  });

  it('are protected where a session works above the home', () => {
    expect(SafetyMode.options.filter((mode) => writes(mode, '.unknownrc', '/home'))).toEqual(['yolo']);
    expect(SafetyMode.options.filter((mode) => writes(mode, 'a.txt', '/home'))).toEqual(['write', 'yolo']);
  });
});
