import { readFile } from 'node:fs/promises';
import { UsageError } from './usage-error.js';

/**
 * The prompt of a command: the argument, a file, or standard input. `-` is standard input; together with a prompt from a file
 * or a pipe that is not asked for, the argument alone counts.
 */
export async function readPrompt(argument: string | undefined, file?: string): Promise<string> {
  if (argument !== undefined && argument !== '-' && file !== undefined)
    throw new UsageError('Give the prompt as an argument or with --file, not both.');
  const text =
    file !== undefined
      ? await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
          throw new UsageError(`The prompt cannot be read from ${file}: ${error.code}.`);
        })
      : argument === undefined || argument === '-'
        ? await readStandardInput()
        : argument;
  if (text.trim() === '') throw new UsageError('The prompt is empty. Say what is to be done.');
  return text.trim();
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY)
    throw new UsageError('There is no prompt. Write it after the command, or pipe it in.');
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
}
