import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A block of code in a page: between two lines of three backticks, the first with its language and, for a file, its name. */
export interface Block {
  page: string;
  line: number;
  language: string;
  file: string | null;
  text: string;
}

/** Every page that people read. `docs/cli.md` is written by the program itself. */
export async function readPages(): Promise<string[]> {
  const below = async (folder: string) =>
    (await readdir(new URL(`../../${folder}/`, import.meta.url)))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`);
  const packages = await readdir(new URL('../../packages/', import.meta.url));
  return [
    'README.md',
    'CONTRIBUTING.md',
    ...(await below('docs')).filter((page) => page !== 'docs/cli.md'),
    ...(await below('docs/contracts')),
    ...(await below('docs/internals')),
    ...packages.map((name) => `packages/${name}/README.md`),
  ];
}

export async function readBlocks(page: string): Promise<Block[]> {
  const text = await readFile(new URL(`../../${page}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```(\w*)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', file = null, content = ''], at, all) => ({
      page,
      line: text.slice(0, all[at]?.index).split('\n').length,
      language,
      file,
      text: content,
    }),
  );
}

/** It says itself what a reader has to bring along, so it is not run as it stands. */
export function isFragment({ text }: Block): boolean {
  return /^\s*(#|\/\/) fragment: /m.test(text);
}
