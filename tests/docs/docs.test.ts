import { loadSettings } from '@amplifier/foundation';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { type Block, isFragment, readBlocks, readPages } from './read-blocks.js';
import { Reader } from './reader.js';

/** What becomes of a block by its language. A file that is named is checked by the test of its page, or by the commands after it. */
const RUN = ['sh'];
const CHECKED = ['json', 'yaml', 'js', 'ts'];
/** Nothing that could be run: what a program prints, a drawing, a folder. */
const SHOWN = ['text', 'markdown'];

const pages = await Promise.all(
  (await readPages()).map(
    async (page) => [page, (await readBlocks(page)).filter((it) => !isFragment(it))] as const,
  ),
);
const where = ({ page, line }: Block) => `${page}:${line}`;

describe('the pages', () => {
  it('say of every block what it is', () => {
    const unknown = pages
      .flatMap(([, blocks]) => blocks)
      .filter(({ language }) => ![...RUN, ...CHECKED, ...SHOWN].includes(language));
    expect(unknown.map(where)).toEqual([]);
  });

  it.each(pages.filter(([, blocks]) => blocks.some(({ language }) => RUN.includes(language))))(
    '%s: every command works as it is written, for somebody who has no settings',
    async (_, blocks) => {
      await using reader = await Reader.begin(blocks);
      for (const block of blocks.filter(({ language }) => RUN.includes(language))) {
        const { code, output } = await reader.run(block);
        expect(code, `${where(block)}\n${block.text}\n${output}`).toBe(0);
      }
    },
  );

  it('show JSON and settings that are valid, and programs that find what they import', async () => {
    for (const [, blocks] of pages) {
      for (const block of blocks.filter(({ file }) => file === null)) {
        if (block.language === 'json') expect(() => JSON.parse(block.text), where(block)).not.toThrow();
        if (block.language === 'yaml') await expectSettings(block);
        if (block.language === 'ts' || block.language === 'js') await expectProgram(block);
      }
    }
  });
});

async function expectSettings(block: Block): Promise<void> {
  await using folder = await TempWorkspace.create({ 'settings.yaml': block.text });
  const read = loadSettings({ user: folder.resolve('settings.yaml') });
  await expect(read, where(block)).resolves.toBeDefined();
}

async function expectProgram(block: Block): Promise<void> {
  const name = `block.${block.language === 'ts' ? 'mts' : 'mjs'}`;
  await using reader = await Reader.begin([{ ...block, file: name }]);
  const { code, output } = await reader.runScript(name, ['--import', 'tsx']);
  expect(code, `${where(block)}\n${output}`).toBe(0);
}
