import { describe, expect, it } from 'vitest';
import { checkGrant } from '../grant/check-grant.js';
import { grantForSafetyMode, SafetyMode } from '../grant/safety-mode.js';

const writes = (mode: SafetyMode, path: string) =>
  checkGrant(
    grantForSafetyMode(mode, {
      cwd: '/home/me',
      trusted: true,
      home: '/home/me',
      homes: [],
      locked: ['/home/me/run.sh'],
    }),
    {
      kind: 'write',
      path: `/home/me/${path}`,
    },
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
  ])('%s can be written in yolo mode alone', (path) => {
    expect(SafetyMode.options.filter((mode) => writes(mode, path))).toEqual(['yolo']);
  });

  it('are no reason to keep others out of reach', () => {
    for (const path of ['src/a.ts', '.gitignore', '.github/README.md'])
      expect(SafetyMode.options.filter((mode) => writes(mode, path))).toEqual(['write', 'yolo']);
  });
});
