import type { Cli } from '../cli.js';
import { writeRendered } from './screen.js';

/** An answer: rendered where a person reads it, as it was written where a program does. */
export async function printAnswer(cli: Cli, text: string): Promise<void> {
  if (!process.stdout.isTTY || process.env.TERM === 'dumb') return cli.print(text);
  const { renderMarkdown } = await import('../talk/rich/render-markdown.js');
  const lines = renderMarkdown(text, cli.width, cli.color.bold('x') !== 'x');
  writeRendered(lines);
}
