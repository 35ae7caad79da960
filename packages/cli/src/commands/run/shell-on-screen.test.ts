import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { FakeModelServer, replyFromConversation } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';
import { TmuxTerminal } from '../../../test-support/tmux-terminal.js';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const call = (tool: string, input: object) => `!call ${tool} ${JSON.stringify(input)}`;
const write = (file: string) => call('write_file', { file_path: file, content: 'new\n' });
const provider = (id: string, url: string, extra = '') =>
  `    - module: provider-openai-compatible\n      id: ${id}\n      config: { base_url: "${url}/v1", default_model: ${id}-1${extra} }\n`;
const RED = '\u001b[31m';

const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

/** What a person meets who types commands at a prompt, one after the other. */
describe.runIf(hasTmux)('at a prompt', () => {
  it('a newcomer sets up one local server, which serves every role, and is told of every slip and failure', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({
      '.amplifier/settings.yaml': 'routing: { matrix: economy }\n',
    });
    await box.trust();
    const env = { OLLAMA_HOST: server.url.replace('http://', ''), NO_COLOR: '' };
    await using shell = await TmuxTerminal.shell(box, { env });

    const set = await shell.run('amplifier init', async () => {
      await shell.see(/These were found\. Which should Amplifier use\?[\s\S]*Ollama at http/);
      await shell.press('Enter');
    });
    expect(set.shown).toMatch(
      /✓ Ollama at http[\s\S]*✓ ollama: .*answered[\s\S]*✓ role fast: ollama\/[\s\S]*Written to/,
    );
    const roles = await shell.run('amplifier routing show');
    expect(roles.shown).toMatch(/^matrix economy\n/);
    const rows = roles.shown.trimEnd().split('\n').slice(1);
    for (const row of rows) expect(row).toMatch(/ ollama\/\S+ +(instead of|the first choice)/);
    expect(widest(roles.shown)).toBeLessThanOrEqual(80);
    const quick = await shell.run("amplifier run --role fast '!say Quick.'");
    expect(quick.shown).toMatch(/^Quick\.$/m);
    expect(quick.shown, 'nothing is told once per agent').not.toContain('warning');

    const agents = await shell.run('amplifier agent list');
    expect(agents.shown).toMatch(/^zen-architect +foundation [\s\S]*List them with --all\.$/m);
    expect(agents.shown).not.toContain('not installed\n');
    expect(widest(agents.shown)).toBeLessThanOrEqual(80);
    await shell.resize({ columns: 34 });
    expect(widest((await shell.run('amplifier agent list')).shown)).toBeLessThanOrEqual(34);
    await shell.resize({ columns: 80 });
    const all = await shell.run('amplifier agent list --all | cat');
    expect(all.shown).toContain('not installed');
    expect(all.shown, 'a pipe has no edge').not.toContain('…');
    const goose = await shell.run('PATH=/nowhere amplifier run --agent acp:goose x');
    expect(goose).toMatchObject({ code: 1, shown: expect.stringContaining('is not installed') });
    await box.folder.write(
      'a.md',
      '---\nname: a\ndescription: x\nmodel_role: codng\ntools: [tool-filesytem]\n---\nYou are a.\n',
    );
    const checked = await shell.run('amplifier agent validate a.md');
    expect(checked.shown).toMatch(/Did you mean 'tool-filesystem'\?[\s\S]*Did you mean 'coding'\?/);
    expect(checked.code).toBe(1);
    const slips = ['bundle.active foundatio', 'routing.matrix balancd', 'bundel.active foundation'];
    for (const [index, guess] of ['foundation', 'balanced', 'bundle'].entries()) {
      const slip = await shell.run(`amplifier config set ${slips[index]}`);
      expect(slip).toMatchObject({ code: 2, shown: expect.stringContaining(`Did you mean '${guess}'?`) });
    }
    const refused = await shell.run("amplifier config set config.providers '{ api_key: sk-secret }'");
    expect(refused.code).not.toBe(0);
    expect(existsSync(box.home.resolve('keys.env')), 'no key of what is refused is stored').toBe(false);
    const hidden = await shell.run('amplifier routing use balanced --user');
    expect(hidden.shown).toMatch(/does not take effect here: .*settings\.yaml sets "economy"/);

    await shell.run('. <(amplifier completion bash)');
    await shell.type('amplifier session rest');
    await shell.press('Tab');
    await shell.see('amplifier session restore');
    await shell.press('C-u');

    await box.home.write(
      'settings.yaml',
      `${await box.home.read('settings.yaml')}modules:\n  hooks:\n    - module: hooks-nowhere\n`,
    );
    const warned = await shell.run("amplifier run '!say Done all the same.'");
    expect(warned.shown).toMatch(/warning: hooks-nowhere \(hooks\) is left out[\s\S]*^Done all the same\.$/m);
    const strict = await shell.run("amplifier run --strict '!say Never.'");
    expect(strict).toMatchObject({ code: 1, shown: expect.stringContaining('run without --strict') });
    await shell.run('clear; amplifier doctor --no-connect');
    expect(await shell.screen({ colors: true, history: true })).toMatch(
      new RegExp(`${RED.replace('[', '\\[')}✗.* modules: hooks-nowhere`),
    );
  });

  it('a provider that was named is obeyed: its errors, retries and successors are told, and so is a missing price', async () => {
    let calls = 0;
    await using first = await FakeModelServer.start({
      script: () => ({ fail: { status: ++calls === 1 ? 401 : 503, message: 'not today' } }),
    });
    // It fails until the screen has told so.
    let isTold = false;
    await using second = await FakeModelServer.start({
      script: ({ steps }) =>
        !isTold
          ? { fail: { status: 429, message: 'slow down', headers: { 'retry-after': '1' } } }
          : replyFromConversation(steps),
    });
    await using box = await CliSandbox.create();
    await box.home.write(
      'settings.yaml',
      `config:\n  providers:\n${provider('first', first.url, ', max_retries: 0, priority: 1')}${provider('second', second.url, ', priority: 2')}`,
    );
    await using shell = await TmuxTerminal.shell(box, { columns: 100, rows: 30 });
    const failed = await shell.run("amplifier run -p first '!say Hello.'");
    expect(failed.shown).toContain('first (openai-compatible) answered 401: not today');
    expect(failed.shown).toContain('amplifier provider test first');
    expect(failed.code).toBe(1);
    expect(second.exchanges, 'nobody was asked instead').toHaveLength(0);
    const waited = await shell.run("amplifier run -p second '!say At last.'", async () => {
      await shell.see(/retrying in \d+ s .*429/);
      isTold = true;
    });
    expect(waited.shown).toMatch(/^At last\.$/m);
    for (const wish of ['-p first --fallback', ''])
      expect((await shell.run(`amplifier run ${wish} '!say Hello.'`)).shown).toMatch(
        /first\/first-1 failed \(openai-compatible answered 503: not today\)[\s\S]*second\/second-1 takes over[\s\S]*^Hello\.$/m,
      );
    const json = await shell.run("amplifier run --json '!say Hello.' 2>/dev/null");
    expect(JSON.parse(json.shown)).toMatchObject({
      provider_routing: { fallbacks: [{ from: { provider: 'first' }, to: { provider: 'second' } }] },
    });
    const before = second.exchanges.length;
    const unpriced = await shell.run("amplifier run -p second --max-cost 1 '!say Hello.'");
    expect(unpriced.shown).toMatch(/allow.unpriced/);
    expect([unpriced.code === 0, second.exchanges.length]).toEqual([false, before]);
    const allowed = await shell.run("amplifier run -p second --max-cost 1 --allow-unpriced '!say Hello.'");
    expect(allowed.shown).toMatch(/^Hello\.$/m);
    const cut = await shell.run("amplifier run -p second --max-tokens 1 '!say Hello.'");
    expect([cut.code, second.exchanges.length]).toEqual([3, before + 1]);
  });

  it('rules spare questions, undo takes a turn back, and the trash gives back what was deleted', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({ 'a.txt': 'old\n' });
    await box.home.write(
      'settings.yaml',
      `# mine\nconfig:\n  providers:\n${provider('mine', server.url)}permissions:\n  deny:\n    - bash: rm *\n`,
    );
    await using shell = await TmuxTerminal.shell(box, { columns: 100, rows: 30 });
    await shell.run("amplifier permissions add ask 'write: **'");
    const added = await shell.run("amplifier permissions add allow 'write: src/**'");
    expect(added.shown).toMatch(/Added to \S+settings\.yaml: allow write: src\/\*\*/);
    expect(await box.home.read('settings.yaml')).toContain('# mine');
    const rules = await shell.run('amplifier permissions list');
    expect(rules.shown).toMatch(/allow +write: src\/\*\* +\S+/);
    expect(rules.shown).toMatch(/deny +bash: rm \*/);
    const why = await shell.run("amplifier permissions test 'write: src/b.txt'");
    expect(why.shown).toMatch(/^allow .*\n.*narrower than the rule ask 'write: \*\*'/);
    const denied = await shell.run("amplifier permissions test 'bash: git status && rm -rf x'");
    expect(denied.shown).toMatch(/^deny /);

    const child = call('delegate', {
      agent: 'self',
      context_depth: 'none',
      instruction: `${write('src/b.txt')}\n!then\n!say Written.`,
    });
    const steps = [
      call('read_file', { file_path: 'a.txt' }),
      child,
      call('edit_file', { file_path: 'a.txt', old_string: 'old', new_string: 'new' }),
      call('bash', { command: 'rm a.txt' }),
      '!say Changed.',
    ];
    await box.folder.write('task.txt', steps.join('\n!then\n'));
    const changed = await shell.run('amplifier run --file task.txt', async () => {
      await shell.see(/wants to use edit_file: a\.txt[\s\S]*❯ 1\. Allow once/);
      await shell.press('y');
    });
    expect(changed.shown.match(/wants to use/g), 'two of three are settled by rules').toHaveLength(1);
    expect(await box.folder.read('a.txt'), 'and what a rule denies is not done').toBe('new\n');

    await box.folder.write('a.txt', 'mine\n');
    const refused = await shell.run('amplifier undo');
    expect(refused).toMatchObject({ code: 1, shown: expect.stringContaining('a.txt: it was changed since') });
    expect(await box.folder.read('src/b.txt'), 'all or nothing').toBe('new\n');
    await box.folder.write('a.txt', 'new\n');
    const undone = await shell.run('amplifier undo', async () => {
      await shell.see(/restore a\.txt[\s\S]*remove src\/b\.txt[\s\S]*Undo this\? \[y\/N\]/);
      await shell.enter('y');
    });
    expect(undone.shown).toContain('Undone:');
    expect(await box.folder.read('a.txt')).toBe('old\n');
    expect(existsSync(box.folder.resolve('src/b.txt'))).toBe(false);
    expect((await shell.run('amplifier undo')).shown).toContain('changed no files');

    const list = await shell.run('amplifier session list');
    const [, id = ''] = /^(\w+) /m.exec(list.shown) ?? [];
    expect((await shell.run(`amplifier session delete ${id}`)).shown).toContain('--children');
    const deleted = await shell.run(`amplifier session delete ${id} --children`);
    expect(deleted.shown).toContain('Restore it with: amplifier session restore');
    expect((await shell.run('amplifier session list')).shown).toContain('There are no sessions here yet');
    expect((await shell.run('amplifier session list --deleted')).shown).toContain(id);
    await shell.run(`amplifier session restore ${id}`);
    expect((await shell.run(`amplifier session tree ${id}`)).shown).toMatch(
      /^amplifier +completed[\s\S]*└─ /,
    );
    await shell.run(`amplifier session fork ${id}; amplifier delegate explorer '!say Found.'`);
    const titles = (await shell.run('amplifier session list')).shown;
    const [, fork] = /^(\w+) .*fork of \w+: /m.exec(titles) ?? [];
    expect(titles).toContain('delegate explorer: !say Found.');
    const more = await shell.run("amplifier run --continue --json '!say More.' 2>/dev/null");
    expect(JSON.parse(more.shown).session_id, 'the newest that a person talked in').toBe(`session_${fork}`);
    const removed = await shell.run("amplifier permissions remove 'bash: rm *'");
    expect(removed.shown).toContain('deny bash: rm *');
  });
});
