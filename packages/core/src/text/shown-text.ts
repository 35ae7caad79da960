/** Line breaks and tabs are layout; a carriage return is only that in front of a line break. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are exactly the characters to show
const UNSEEN = /\r\n|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Text of a model, a tool, a file or another program, fit to be shown in a terminal: whatever would move the cursor, change
 * colours, write to the clipboard or turn the order of letters around becomes visible instead. Idempotent.
 */
export function shownText(text: string): string {
  return text.toWellFormed().replace(UNSEEN, (found) => (found === '\r\n' ? '\n' : picture(found)));
}

/** `␛` for the escape character; `<U+202E>` where there is no picture. */
function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

const UNSEEN_IN_JSON = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** JSON that may be shown in a terminal. It means the same: what JSON itself leaves unescaped is escaped, too. */
export function shownJson(json: string): string {
  return json.replace(UNSEEN_IN_JSON, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
