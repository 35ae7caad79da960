import { AmplifierError, errorInfo, HostError } from '@amplifier/host';
import { EXIT } from './exit-codes.js';
import { writeError, writeJson } from './terminal/screen.js';
import { isUsageError } from './usage-error.js';

/** Says what went wrong in words, or as JSON where that was asked for. The stack is for `--debug` alone. */
export function showError(error: unknown, options: { json?: boolean; debug?: boolean }): number {
  if (error instanceof HostError && error.code === 'NO_MODEL') return showNoModel(error, options);
  const { message, code = 'ERROR', type } = errorInfo(error);
  if (options.json) {
    writeJson({ status: 'error', error: { code, message } }, 2);
  } else {
    writeError(
      `amplifier: ${AmplifierError.is(error) || isUsageError(error) ? message : `${type}: ${message}`}\n`,
    );
  }
  if (options.debug && error instanceof Error) writeError(`${error.stack}\n`);
  return isUsageError(error) ? EXIT.usage : EXIT.failed;
}

const NO_MODEL = `amplifier: No model is configured, so nothing can answer. Do one of these, or add --offline to see it work without a model:
  export ANTHROPIC_API_KEY=…  |  amplifier init  |  amplifier provider add openai-compatible --base-url http://127.0.0.1:11434/v1 --model NAME`;

function showNoModel(error: HostError, { json }: { json?: boolean }): number {
  const { code, message } = error;
  if (json) writeJson({ status: 'error', error: { code, message } }, 2);
  else writeError(`${NO_MODEL}\n`);
  return EXIT.failed;
}
