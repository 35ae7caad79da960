import { AmplifierError } from '@amplifier/core';
import type { LimitKind } from '../outcome.js';

/** A limit of the tree refuses the next step. No LLMError, so that nobody retries it or tries another model. */
export class LimitReached extends AmplifierError {
  readonly kind: LimitKind;

  constructor(kind: LimitKind, message: string) {
    super(message, { code: 'LIMIT_REACHED' });
    this.kind = kind;
  }
}
