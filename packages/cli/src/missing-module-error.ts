import { AmplifierError } from '@amplifier/host';

/** Something of the plan could not be loaded, and `--strict` says that this is a reason to stop. */
export class MissingModuleError extends AmplifierError {
  constructor(messages: readonly string[]) {
    super(`${messages.join(' ')} Fix this, or run without --strict.`, { code: 'MODULE_MISSING' });
  }
}
