import { SessionError } from '../session-error.js';

/** The records as whole lines. */
export function recordText(records: readonly object[], file: string): string {
  try {
    let text = '';
    for (const record of records) text += `${JSON.stringify(record)}\n`;
    return text;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SessionError(
      `A record for ${file} cannot be written as JSON: ${reason}. Nothing was appended.`,
      {
        code: 'INVALID_RECORD',
        origin: file,
        cause,
      },
    );
  }
}
