import { PICTURE } from '@amplifier/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BroughtProject, type WayIn } from './brought-project.js';

// Real programs are started; on a busy machine each takes its time, and that is no failure.
const PATIENCE_MS = 120_000;

let brought: BroughtProject;
let ways: WayIn[];
beforeAll(async () => {
  brought = await BroughtProject.open();
  ways = [brought.cli(), await brought.rest()];
}, PATIENCE_MS);
afterAll(() => brought[Symbol.asyncDispose]());

const INSTRUCTIONS = ['canary-agents-md', 'canary-claude-md', 'canary-import'];
/** Of these words those that did not arrive; a whole request would be too much to read. */
const missing = (body: string, words: readonly string[]) => words.filter((word) => !body.includes(word));
const tools = (body: string): string[] =>
  JSON.parse(body).tools.map((tool: { function: { name: string } }) => tool.function.name);

describe('what a person brings from other tools, at the command line and over REST', () => {
  it(
    'is text and instructions before the folder is trusted, and runs nothing',
    async () => {
      for (const { name, run } of ways) {
        await run('!say Hello.');
        const [body = '', ...more] = brought.sent();
        expect(more, name).toEqual([]);
        expect(missing(body, [...INSTRUCTIONS, 'canary-hook', PICTURE]), name).toEqual(['canary-hook']);
        expect(
          tools(body).filter((tool) => tool.startsWith('mcp_')),
          name,
        ).toEqual([]);
        expect(tools(body), name).toContain('load_skill');
      }
      await brought.trust();
    },
    PATIENCE_MS,
  );

  it(
    'works as it did there once the folder is trusted',
    async () => {
      for (const { name, run, agents } of ways) {
        const session_id = await run('/git:look 12');
        const bodies = brought.sent();
        const [first = '', last = ''] = [bodies.at(0), bodies.at(-1)];
        const told = ['Look at 12 and', 'canary-command', 'canary-notes', 'canary-hook'];
        expect(missing(first, [...INSTRUCTIONS, ...told]), name).toEqual([]);
        // A hook said no, a rule said no, the MCP server answered, and an answer is data.
        const answers = ['canary-refusal', 'canary-secret', '"content":"42"', 'data for you to judge'];
        expect(missing(last, answers), name).toEqual(['canary-secret']);
        const [child = '', ...others] = bodies.filter((body) => body.includes('canary-judge'));
        expect(others, name).toEqual([]);
        const given = ['canary-skill', 'Another agent handed you one task', PICTURE, ...INSTRUCTIONS];
        expect(missing(child, given), name).toEqual([]);
        expect(tools(child), name).toEqual(expect.arrayContaining(['read_file', 'grep']));
        for (const tool of ['bash', 'delegate', 'mcp_fix_add'])
          expect(tools(child), name).not.toContain(tool);
        expect(await agents(session_id), name).toEqual(
          expect.arrayContaining(['code-judge', 'looker', 'checker-cx', 'explorer']),
        );
      }
    },
    PATIENCE_MS,
  );

  it(
    'is handed over in the form that was asked for, and works in a tree of its own',
    async () => {
      for (const { name, run, delegate } of ways) {
        const parent = await run('We look for the leak in the pump.');
        brought.sent();
        const look = JSON.stringify({
          command: 'cat .env ready.txt; echo "port=$PORT tmp=$TMPDIR"; ls pic.png',
        });
        const answer = await delegate(parent, {
          agent: 'explorer',
          instruction: `!call bash ${look}\n!then\n!say ${'long '.repeat(200)}`,
          context_depth: 'summary',
          hand_back: 'summary',
          max_result: 300,
          skills: name === 'REST' ? ['house-style'] : 'house-style',
          isolation: 'worktree',
        });
        expect(answer, name).toMatch(/^long (long )+[\s\S]*more characters are in the transcript of session/);
        expect(answer.length, name).toBeLessThan(450);
        const bodies = brought.sent();
        const child = bodies.at(-1) ?? '';
        const summaries = bodies.filter((body) => !body.includes('SUMMARY: '));
        expect(summaries, name).toHaveLength(1);
        expect(missing(summaries.join(), ['Sum up this conversation']), name).toEqual([]);
        const given = ['SUMMARY: ', 'leak in the pump', 'at most 300 characters', 'canary-skill'];
        const found = ['canary-env', 'canary-setup', 'pic.png'];
        expect(missing(child, [...given, ...found]), name).toEqual([]);
        expect(/port=\d{4,5} tmp=\/\S/.test(child), name).toBe(true);
      }
    },
    PATIENCE_MS,
  );
});
