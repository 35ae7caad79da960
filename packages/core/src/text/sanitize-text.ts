// biome-ignore lint/suspicious/noControlCharactersInRegex: these are exactly the characters to take out
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

/** Takes out what no model or log can carry: control characters (tab and line breaks stay) and lone surrogates. */
export function sanitizeText(text: string): string {
  return text.toWellFormed().replace(CONTROL_CHARACTERS, '');
}
