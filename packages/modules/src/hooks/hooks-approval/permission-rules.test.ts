import type { JsonObject } from '@amplifier/core';
import { describe, expect, it } from 'vitest';
import { loadShellParser } from '../../shell/load-shell-parser.js';
import { decidePermission } from './decide-permission.js';
import { readRules, splitRule } from './permission-rule.js';

async function verdict(permissions: JsonObject, tool: string, input: JsonObject, paths: string[] = []) {
  const call = { tool, input, paths, folders: ['/proj/p'] };
  const decided = await decidePermission(readRules(permissions, 'test'), call);
  return decided?.action ?? null;
}
const bash = (permissions: JsonObject, command: string) => verdict(permissions, 'bash', { command });

describe('rules by tool and pattern', () => {
  it('are written as a mapping, as a line, or as Claude Code writes them', async () => {
    for (const rule of [
      { bash: 'git status *' },
      'bash: git status *',
      'Bash(git status:*)',
      'Bash(git status *)',
    ]) {
      expect(await bash({ allow: [rule] }, 'git status')).toBe('allow');
      expect(await bash({ allow: [rule] }, 'git status --short')).toBe('allow');
      expect(await bash({ allow: [rule] }, 'git statusx')).toBeNull();
      expect(await bash({ allow: [rule] }, 'git push')).toBeNull();
    }
    expect(() => splitRule('bash(')).toThrow(/is not a rule/);
    expect(() => readRules({ allow: 'x' }, 'f.yaml')).toThrow(/f\.yaml cannot be read/);
  });

  it('let the narrowest decide, a denial before all, and of two as narrow the one that asks', async () => {
    const permissions = {
      allow: ['bash: git *', 'bash: git push origin docs', 'bash: ls *'],
      ask: ['bash: git push *', 'bash: ls *'],
      deny: ['bash: git push --force *'],
    };
    expect(await bash(permissions, 'git log')).toBe('allow');
    expect(await bash(permissions, 'git push origin main')).toBe('ask');
    expect(await bash(permissions, 'git push origin docs')).toBe('allow');
    expect(await bash(permissions, 'git push --force origin docs')).toBe('deny');
    expect(await bash(permissions, 'ls -l')).toBe('ask');
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
  ])('let nothing ride on an allowed prefix: %s', async (command) => {
    expect(await bash(allow, command)).toBeNull();
  });

  it('allow a line of several commands when each is allowed', async () => {
    expect(await bash(allow, 'git status && echo "a; b" | echo c')).toBe('allow');
    expect(await bash({ ...allow, ask: ['bash: echo secret'] }, 'git status && echo secret')).toBe('ask');
    expect(await bash({ allow: ['bash'] }, 'a; b $(c) > d')).toBe('allow');
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
  ])('find a forbidden command wherever it stands: %s', async (command) => {
    expect(await bash({ deny: ['bash: rm *'], allow: ['bash'] }, command)).toBe('deny');
  });

  it('hold paths as a .gitignore does, each by itself', async () => {
    const permissions = { allow: ['write: src/**'], deny: ['Edit(.env)', 'read: secrets'] };
    expect(await verdict(permissions, 'edit_file', {}, ['src/a/b.ts'])).toBe('allow');
    expect(await verdict(permissions, 'write_file', {}, ['src/a.ts', '/etc/passwd'])).toBeNull();
    expect(await verdict(permissions, 'write_file', {}, ['src/deep/.env'])).toBe('deny');
    expect(await verdict(permissions, 'read_file', {}, ['secrets/key.pem'])).toBe('deny');
    expect(await verdict({ deny: ['Read(//etc/**)'] }, 'read_file', {}, ['/etc/passwd'])).toBe('deny');
  });

  it('hold absolute patterns against paths in the working folder', async () => {
    for (const [rule, file, denied] of [
      ['write: //proj/p/README.md', 'README.md', true],
      ['write: //proj/p', 'src/a.ts', true],
      ['write: //proj/p/**', '.', true],
      ['write: //proj/**', 'a', true],
      ['write: //proj/*/a', 'a', true],
      ['write: //proj/p/../p//a', 'a', true],
      ['write: /a', 'a', true],
      ['write: /a', 'deep/a', false],
      ['write: //a', 'a', false],
      ['write: //proj/p2/**', 'a', false],
    ] as const)
      expect(await verdict({ deny: [rule] }, 'write_file', {}, [file]), rule).toBe(denied ? 'deny' : null);
    expect(await verdict({ allow: ['write: //proj/p/src/**'] }, 'edit_file', {}, ['src/a'])).toBe('allow');
    expect(await verdict({ allow: ['write: /src/**'] }, 'edit_file', {}, ['src/a'])).toBeNull();
    expect(await verdict({ deny: ['mcp__fs: //proj/p/a'] }, 'mcp_fs_read', {}, ['a'])).toBe('deny');
  });

  it('hold addresses by host, by path or whole, and are not led astray by user names', async () => {
    const fetch = (rule: string, url: string) => verdict({ allow: [rule] }, 'web_fetch', { url });
    expect(await fetch('web_fetch: docs.*', 'https://docs.python.org/3/')).toBe('allow');
    expect(await fetch('web_fetch: docs.*', 'https://docs.python.org@evil.test/')).toBeNull();
    expect(await fetch('web_fetch: docs.*', 'https://evil.test/docs.x')).toBeNull();
    expect(await fetch('WebFetch(domain:example.com)', 'https://api.example.com/')).toBe('allow');
    expect(await fetch('WebFetch(domain:example.com)', 'https://notexample.com/')).toBeNull();
    expect(await fetch('web_fetch: example.com/docs/*', 'https://example.com/docs/a')).toBe('allow');
    expect(await fetch('web_fetch: https://example.com/*', 'http://example.com/a')).toBeNull();
  });

  it.each([
    ['evil.com', 'http://evil.com./'],
    ['evil.com', 'http://EVIL.com..'],
    ['evil.com.', 'http://evil.com/'],
    ['domain:evil.com', 'https://a.evil.com./x'],
    ['evil.com/x', 'https://evil.com./x'],
    ['https://evil.com/*', 'https://evil.com./x'],
    ['m\u00fcnchen.de', 'https://xn--mnchen-3ya.de/'],
  ])('deny a host however it is written: %s, %s', async (rule, url) => {
    expect(await verdict({ deny: [`web_fetch: ${rule}`] }, 'web_fetch', { url })).toBe('deny');
  });

  it.each([
    ['explorer', { agent: 'foundation:explorer' }],
    ['explorer', { agent: 'amplifier:explorer' }],
    ['explorer', { agent: 'Explorer', background: true }],
    ['explorer', { subagent_type: 'foundation:explorer' }],
    ['explorer', { session_id: `${'0'.repeat(16)}-${'a'.repeat(16)}_explorer` }],
    ['explorer', { agent: 'self' }],
    ['foundation:explorer', { agent: 'explorer' }],
    ['foundation:explorer', { agent: 'amplifier:explorer' }],
    ['amplifier:explorer', { agent: 'foundation:explorer' }],
    ['acp:claude', { agent: 'claude' }],
    ['expl*', { agent: 'foundation:explorer' }],
  ])('deny an agent by all its names: %s', async (rule, input) => {
    for (const tool of ['delegate', 'task']) {
      const call = { tool, input, paths: [], folders: [], agent: 'foundation:explorer' };
      const given = await decidePermission(readRules({ deny: [`delegate: ${rule}`] }, 'test'), call);
      expect(given?.action).toBe('deny');
      expect(await verdict({ deny: [`delegate: ${rule}`] }, tool, { agent: 'other:coder' })).toBeNull();
    }
    expect(
      await verdict({ allow: [`delegate: ${rule}`] }, 'delegate', { agent: 'evil:explorer' }),
    ).toBeNull();
  });

  it('know agents and the tools of MCP servers', async () => {
    expect(await verdict({ ask: ['delegate: coder'] }, 'delegate', { agent: 'coder' })).toBe('ask');
    expect(await verdict({ deny: ['mcp__github__delete'] }, 'mcp_github_delete', {})).toBe('deny');
    expect(await verdict({ allow: ['mcp__github'] }, 'mcp_github_list', {})).toBe('allow');
  });

  it('take time that grows with the length of the text, however it is written', async () => {
    const command = `${'a'.repeat(5_000)}b`;
    expect(await bash({ allow: [`bash: ${'*a'.repeat(40)}c`] }, command)).toBeNull();
    expect(await bash({ deny: ['bash: x *'] }, 'sudo '.repeat(5_000))).toBe('ask');
    expect(await bash({ allow: ['bash: x *'] }, `a${'#'.repeat(300_000)}`)).toBeNull();
    expect(() => splitRule(`bash${' '.repeat(200_000)}!`)).toThrow(/is not a rule/);
  });

  it('deny by failing where rules and call together would take too long', async () => {
    const deny = Array.from({ length: 200 }, () => `bash: ${'*a'.repeat(400)}c`);
    await expect(bash({ deny }, 'a'.repeat(20_000))).rejects.toThrow(/takes longer than/);
    expect(() => readRules({ deny: Array(2_000).fill('bash: x') }, 'f.yaml')).toThrow(
      /2000 permission rules/,
    );
  });
});

describe('the commands of a line', () => {
  it('are plain where nothing is substituted, assigned or redirected to a file', async () => {
    const parse = await loadShellParser();
    expect(parse(`a 'x;y' && b "p|q" ; c`).plain).toEqual([`a 'x;y'`, 'b "p|q"', 'c']);
    expect(parse('a\tb # c').plain).toEqual(['a b']);
    expect(parse('a#b 2>&1 >/dev/null').plain).toEqual(['a#b']);
    for (const line of [
      'a > f',
      'A=1 a',
      'a $(b)',
      'a\u00a0b',
      'a "',
      '"a" b',
      'find . -exec a ;',
      'git -c x=y log',
    ])
      expect([line, parse(line).plain]).toEqual([line, null]);
  });

  it('are not looked for in a line of more than 20,000 characters', async () => {
    const parse = await loadShellParser();
    const line = (length: number) => 'rm x; echo '.padEnd(length, 'a');
    expect(parse(line(20_000)).commands).toHaveLength(2);
    expect(parse(line(20_001))).toEqual({ commands: [], hidden: 'it is too long', plain: null });
    expect(await bash({ allow: ['bash: rm *', 'bash: echo *'] }, line(20_001))).toBeNull();
    expect(await bash({ allow: ['bash'], deny: ['bash: echo *'] }, line(20_001))).toBe('ask');
    expect(await bash({ allow: ['bash'], deny: ['bash: rm *'] }, line(20_001))).toBe('deny');
  });

  it.each(['$( (', '<(', '$(', '"$(', '$((a[', '`\\`', 'a b;', 'sudo -a ', 'sh -c "', 'if ', '{ '])(
    'are asked about where they are too many or too deep: %s',
    async (unit) => {
      const line = unit.repeat(20_000 / unit.length);
      expect(await bash({ deny: ['bash: touch *'], allow: ['bash'] }, line)).toBe('ask');
    },
  );
});
