import type { WayIn } from '../way-in.js';

/** Patterns that go back and forth, and texts for them: the repository's guards would hold the process up, trusted by nobody. */
const way: WayIn = {
  name: 'freezing-patterns',
  files: () => ({
    '.codex/agents/frozen.toml': `name = "frozen-cx"\ndescription = "x"\ndeveloper_instructions = """\n${'a'.repeat(60)}!\n"""\n"(a+)+$" = 1\n`,
    '.claude/commands/frozen.md': `---\ndescription: x\nallowed-tools: "${'a('.repeat(200_000)}"\n---\nx\n`,
    '.amplifier/AGENTS.md': `@a${':.-'.repeat(200_000)}a\n`,
  }),
  settings: () => ({
    modules: {
      hooks: [
        { module: 'hooks-redaction', config: { patterns: ['(a+)+$', '(a|a)*b'] } },
        {
          module: 'hooks-approval',
          config: { default_action: 'allow', rules: [{ command: `${'*a'.repeat(200)}c`, action: 'ask' }] },
        },
      ],
      'tool-note': { text: 'a'.repeat(200_000) },
    },
    permissions: { deny: [`bash: ${'*a'.repeat(200)}c`, `bash:${' '.repeat(100_000)}never`] },
  }),
  prompt: () => `!call bash ${JSON.stringify({ command: `echo ${'a'.repeat(3_000)}!` })}`,
};
export default way;
