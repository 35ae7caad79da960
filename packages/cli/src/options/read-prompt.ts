import { readFile } from 'node:fs/promises';
import { UsageError } from '../usage-error.js';

/**
 * The prompt of a command: its words, or a file. A `-` at the end adds what comes on standard input; so does a pipe where
 * there is nothing else.
 */
export async function readPrompt(words: readonly string[], file?: string): Promise<string> {
  const said = words.at(-1) === '-' ? words.slice(0, -1) : words;
  if (said.length > 0 && file !== undefined)
    throw new UsageError('Give the prompt as an argument or with --file, not both.');
  const first = file === undefined ? said.join(' ') : await readPromptFile(file);
  const wantsInput = said.length < words.length || (said.length === 0 && file === undefined);
  const text = [first, ...(wantsInput ? [await readStandardInput()] : [])].join('\n\n').trim();
  if (text === '') throw new UsageError('The prompt is empty. Describe the task.');
  return text;
}

function readPromptFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The prompt cannot be read from ${file}: ${error.code}.`);
  });
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY)
    throw new UsageError('There is no prompt. Write it after the command, or pipe it in.');
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
}
