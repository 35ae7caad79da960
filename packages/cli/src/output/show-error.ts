import { AmplifierError, errorInfo } from '@amplifier/host';
import { EXIT } from '../exit-codes.js';
import { writeError, writeJson } from '../terminal/screen.js';
import { isUsageError } from '../usage-error.js';

/** Says what went wrong in words, or as JSON where that was asked for. The stack is for `--debug` alone. */
export function showError(error: unknown, options: { json?: boolean; debug?: boolean }): number {
  if (AmplifierError.is(error) && error.code === 'NO_MODEL') return showNoModel(error, options);
  const { message: said, code = 'ERROR', type } = errorInfo(error);
  const words = fileWords(error);
  const message = words ?? said;
  if (options.json) {
    writeJson({ status: 'error', error: { code, message } }, 2);
  } else {
    writeError(
      `amplifier: ${words !== null || AmplifierError.is(error) || isUsageError(error) ? message : `${type}: ${message}`}\n`,
    );
  }
  if (options.debug && error instanceof Error) writeError(`${error.stack}\n`);
  return isUsageError(error) ? EXIT.usage : EXIT.failed;
}

/** What the file system refused, by its code: said of what, and what to do. */
const FILE_WORDS: Record<string, (path: string) => string> = {
  ENOENT: (path) => `There is no file or folder ${path}. Check its name and its folder.`,
  EEXIST: (path) => `${path} exists already. Name another file.`,
  EISDIR: (path) => `${path} is a folder. Name a file.`,
  ENOTDIR: (path) => `${path} is not in a folder: a part of that name is a file.`,
  EACCES: (path) => `${path} may not be read or written. Change the rights of it and its folder.`,
  EPERM: (path) => `${path} may not be read or written. Change the rights of it and its folder.`,
  EROFS: (path) => `${path} is on a file system that is read-only. Name another place.`,
  ENOSPC: (path) => `There is no space left for ${path}. Free some space, then try again.`,
};

function fileWords(error: unknown): string | null {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (AmplifierError.is(error) || path === undefined || syscall === undefined) return null;
  // A program that could not be started is no file that a person named.
  if (syscall.startsWith('spawn')) return null;
  return FILE_WORDS[code ?? '']?.(path) ?? null;
}

const NO_MODEL = `amplifier: No model is configured, so nothing can answer. Do one of these, or add --offline to see it work without a model:
  export ANTHROPIC_API_KEY=…  |  amplifier init  |  amplifier provider add openai-compatible --base-url http://127.0.0.1:11434/v1 --model NAME`;

function showNoModel(error: AmplifierError, { json }: { json?: boolean }): number {
  const { code, message } = error;
  if (json) writeJson({ status: 'error', error: { code, message } }, 2);
  else writeError(`${NO_MODEL}\n`);
  return EXIT.failed;
}
