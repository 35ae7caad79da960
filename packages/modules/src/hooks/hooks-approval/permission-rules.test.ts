import type { JsonObject } from '@amplifier/core';
import { describe, expect, it } from 'vitest';
import { decidePermission } from './decide-permission.js';
import { readRules, splitRule } from './permission-rule.js';
import { plainCommands } from './split-command.js';

function verdict(permissions: JsonObject, tool: string, input: JsonObject, paths: string[] = []) {
  return decidePermission(readRules(permissions, 'test'), { tool, input, paths })?.action ?? null;
}
const bash = (permissions: JsonObject, command: string) => verdict(permissions, 'bash', { command });

describe('rules by tool and pattern', () => {
  it('are written as a mapping, as a line, or as Claude Code writes them', () => {
    for (const rule of [
      { bash: 'git status *' },
      'bash: git status *',
      'Bash(git status:*)',
      'Bash(git status *)',
    ]) {
      expect(bash({ allow: [rule] }, 'git status')).toBe('allow');
      expect(bash({ allow: [rule] }, 'git status --short')).toBe('allow');
      expect(bash({ allow: [rule] }, 'git statusx')).toBeNull();
      expect(bash({ allow: [rule] }, 'git push')).toBeNull();
    }
    expect(() => splitRule('bash(')).toThrow(/is not a rule/);
    expect(() => readRules({ allow: 'x' }, 'f.yaml')).toThrow(/f\.yaml cannot be read/);
  });

  it('let the narrowest decide, a denial before all, and of two as narrow the one that asks', () => {
    const permissions = {
      allow: ['bash: git *', 'bash: git push origin docs', 'bash: ls *'],
      ask: ['bash: git push *', 'bash: ls *'],
      deny: ['bash: git push --force *'],
    };
    expect(bash(permissions, 'git log')).toBe('allow');
    expect(bash(permissions, 'git push origin main')).toBe('ask');
    expect(bash(permissions, 'git push origin docs')).toBe('allow');
    expect(bash(permissions, 'git push --force origin docs')).toBe('deny');
    expect(bash(permissions, 'ls -l')).toBe('ask');
  });

  const allow = { allow: ['bash: git status *', 'bash: echo *'] };
  it.each([
    'git status; rm -rf x',
    'git status && rm x',
    'git status || rm x',
    'git status | sh',
    'git status & rm x',
    'git status\nrm x',
    'git status $(rm x)',
    'git status `rm x`',
    'git status "$(rm x)"',
    'git status > /etc/passwd',
    'git status <(rm x)',
    "git status $'\\''; rm x'",
    '(git status)',
    '{ git status; }',
    'git status "',
    'GIT_PAGER=x git status',
    'git status \\\n; rm x',
    'echo ${x:-`rm x`}',
  ])('let nothing ride on an allowed prefix: %s', (command) => {
    expect(bash(allow, command)).toBeNull();
  });

  it('allow a line of several commands when each is allowed', () => {
    expect(bash(allow, 'git status && echo "a; b" | echo c')).toBe('allow');
    expect(bash({ ...allow, ask: ['bash: echo secret'] }, 'git status && echo secret')).toBe('ask');
    expect(bash({ allow: ['bash'] }, 'a; b $(c) > d')).toBe('allow');
  });

  it.each([
    'rm -rf x',
    'ls; rm x',
    'ls && /bin/rm x',
    'echo $(rm x)',
    'X=1 rm x',
    'sudo rm x',
    'sh -c "rm x"',
    'find . -name a | xargs rm x',
    "r'm' x",
    'if true; then rm x; fi',
  ])('find a forbidden command wherever it stands: %s', (command) => {
    expect(bash({ deny: ['bash: rm *'], allow: ['bash'] }, command)).toBe('deny');
  });

  it('hold paths as a .gitignore does, each by itself', () => {
    const permissions = { allow: ['write: src/**'], deny: ['Edit(.env)', 'read: secrets'] };
    expect(verdict(permissions, 'edit_file', {}, ['src/a/b.ts'])).toBe('allow');
    expect(verdict(permissions, 'write_file', {}, ['src/a.ts', '/etc/passwd'])).toBeNull();
    expect(verdict(permissions, 'write_file', {}, ['src/deep/.env'])).toBe('deny');
    expect(verdict(permissions, 'read_file', {}, ['secrets/key.pem'])).toBe('deny');
    expect(verdict({ deny: ['Read(//etc/**)'] }, 'read_file', {}, ['/etc/passwd'])).toBe('deny');
  });

  it('hold addresses by host, by path or whole, and are not led astray by user names', () => {
    const fetch = (rule: string, url: string) => verdict({ allow: [rule] }, 'web_fetch', { url });
    expect(fetch('web_fetch: docs.*', 'https://docs.python.org/3/')).toBe('allow');
    expect(fetch('web_fetch: docs.*', 'https://docs.python.org@evil.test/')).toBeNull();
    expect(fetch('web_fetch: docs.*', 'https://evil.test/docs.x')).toBeNull();
    expect(fetch('WebFetch(domain:example.com)', 'https://api.example.com/')).toBe('allow');
    expect(fetch('WebFetch(domain:example.com)', 'https://notexample.com/')).toBeNull();
    expect(fetch('web_fetch: example.com/docs/*', 'https://example.com/docs/a')).toBe('allow');
    expect(fetch('web_fetch: https://example.com/*', 'http://example.com/a')).toBeNull();
  });

  it('know agents and the tools of MCP servers', () => {
    expect(verdict({ ask: ['delegate: coder'] }, 'delegate', { agent: 'coder' })).toBe('ask');
    expect(verdict({ deny: ['mcp__github__delete'] }, 'mcp_github_delete', {})).toBe('deny');
    expect(verdict({ allow: ['mcp__github'] }, 'mcp_github_list', {})).toBe('allow');
  });

  it('take time that grows with the length of the text, however it is written', () => {
    const command = `${'a'.repeat(5_000)}b`;
    expect(bash({ allow: [`bash: ${'*a'.repeat(40)}c`] }, command)).toBeNull();
    expect(bash({ deny: ['bash: x *'] }, 'sudo '.repeat(5_000))).toBeNull();
    expect(bash({ allow: ['bash: x *'] }, `a${'#'.repeat(300_000)}`)).toBeNull();
    expect(() => splitRule(`bash${' '.repeat(200_000)}!`)).toThrow(/is not a rule/);
  });

  it('deny by failing where rules and call together would take too long, or cannot be looked through', () => {
    const deny = Array.from({ length: 200 }, () => `bash: ${'*a'.repeat(400)}c`);
    expect(() => bash({ deny }, 'a'.repeat(20_000))).toThrow(/takes longer than/);
    expect(() => bash({ deny: ['bash: x *'] }, 'sudo '.repeat(100_000))).toThrow(/too long to be looked/);
    expect(() => readRules({ deny: Array(2_000).fill('bash: x') }, 'f.yaml')).toThrow(
      /2000 permission rules/,
    );
  });
});

describe('commands of a line', () => {
  it('are told apart where that is possible', () => {
    expect(plainCommands(`a 'x;y' && b "p|q" ; c`)).toEqual([`a 'x;y'`, 'b "p|q"', 'c']);
    expect(plainCommands('a # c')).toBeNull();
    expect(plainCommands('a#b')).toEqual(['a#b']);
  });
});
