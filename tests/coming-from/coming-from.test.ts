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

const call = (tool: string, input: object) => `!call ${tool} ${JSON.stringify(input)}`;
const handedTo = (word: string) => ({
  name: 'delegate',
  arguments: { agent: 'explorer', instruction: `${word} task`, context_depth: 'recent' },
});

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
        // A model that cannot see is told so; which it is, a command of the person's own says for its turn.
        await run('/blind');
        const blind = brought.sent().find((sent) => sent.includes('I cannot see it')) ?? '';
        expect(missing(blind, [PICTURE, 'the model fake-1 takes no images']), name).toEqual([PICTURE]);
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
        // Of some hundred tools of MCP servers the model sees one, and those that it looked for.
        const shown = bodies.map((body) => tools(body).filter((tool) => tool.startsWith('mcp_')));
        expect(shown[0], name).toEqual(['mcp_find_tools', 'mcp_resources', 'mcp_prompts']);
        expect(shown.at(-1), name).toContain('mcp_fix_add');
        expect(shown.at(-1)?.length, name).toBeLessThan(30);
        // A hook said no, a rule said no, the MCP server answered, and an answer is data.
        const answers = ['canary-refusal', 'canary-secret', '"content":"42"', 'data for you to judge'];
        expect(missing(last, answers), name).toEqual(['canary-secret']);
        const [child = '', ...others] = bodies.filter((body) => body.includes('canary-judge'));
        expect(others, name).toEqual([]);
        const given = [
          'canary-skill',
          'canary-agent-hook',
          'Another agent handed you one task',
          PICTURE,
          ...INSTRUCTIONS,
        ];
        expect(missing(child, given), name).toEqual([]);
        expect(tools(child), name).toEqual(expect.arrayContaining(['read_file', 'grep']));
        for (const tool of ['bash', 'delegate', 'mcp_fix_add'])
          expect(tools(child), name).not.toContain(tool);
        expect(await agents(session_id), name).toEqual(
          expect.arrayContaining(['code-judge', 'looker', 'checker-cx', 'docs_cx', 'explorer']),
        );
      }
    },
    PATIENCE_MS,
  );

  it(
    'is never overwritten where somebody else changed it: a child, or a person between two turns',
    async () => {
      for (const { name, run } of ways) {
        await brought.folder.write('shared.txt', 'one\ntwo\nthree\n');
        const path = { file_path: 'shared.txt' };
        const edit = { ...path, old_string: 'two', new_string: 'TWO' };
        const child = {
          agent: 'modular-builder',
          instruction: call('edit_file', edit),
          context_depth: 'none',
        };
        const writes = [
          call('write_file', { ...path, content: 'mine' }),
          call('edit_file', { ...path, old_string: 'one', new_string: '1' }),
          call('multi_edit', { ...path, edits: [{ old_string: 'one', new_string: '1' }] }),
        ].join('\n');
        const parts = [call('read_file', path), call('delegate', child), writes, '!say Kept.'];
        const session_id = await run(parts.join('\n!then\n'));
        const answers = () => JSON.parse(brought.sent().at(-1) ?? '{}').messages.slice(-3);
        for (const { content } of answers())
          expect(content, name).toMatch(/changed by somebody else[\s\S]*-two\n\+TWO/);
        await run([call('read_file', path), '!say Seen.'].join('\n!then\n'), session_id);
        await brought.folder.write('shared.txt', 'by a person\n');
        await run([writes, '!say Kept.'].join('\n!then\n'), session_id);
        for (const { content } of answers())
          expect(content, name).toMatch(/changed by somebody else.*earlier turn/);
        expect(await brought.folder.read('shared.txt'), name).toBe('by a person\n');
      }
    },
    PATIENCE_MS,
  );

  it(
    'is the same byte for byte for children of one parent up to their tasks, and what the cache gave is in their usage',
    async () => {
      for (const { name, run } of ways) {
        const usage = { input_tokens: 1000, output_tokens: 10, cache_read_tokens: 900 };
        brought.model.play((_, index) =>
          index === 0 ? { tool_calls: ['FIRST', 'SECOND'].map(handedTo) } : { text: 'Done.', usage },
        );
        await run('Look at both.');
        const bodies = brought.sent();
        brought.model.play();
        const of = (word: string, other: string) =>
          bodies.find((body) => body.includes(word) && !body.includes(other)) ?? '';
        const [before = ''] = of('FIRST task', 'SECOND task').split('FIRST task');
        expect(of('SECOND task', 'FIRST task').startsWith(before), name).toBe(true);
        const shared = [...INSTRUCTIONS, 'Another agent handed you one task', 'Look at both'];
        expect(missing(before, shared), name).toEqual([]);
        expect(bodies.at(-1)?.match(/cache_hit_rate\\":0.9/g)?.length, name).toBe(2);
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
