import { WEB_HTML_CHARACTERS } from '../defaults.js';
import { ToolError } from '../tool-error.js';
import type { Page } from './fetch-page.js';

export interface PageText {
  text: string;
  /** Characters of the HTML behind what was converted. */
  html_left_out: number;
}

/** What a reader gets from a page: markup becomes text with its links, text stays, anything else is refused. */
export async function pageText({ url, content_type, body }: Page): Promise<PageText> {
  const type = content_type.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!isText(type) || body.includes(0))
    throw new ToolError(
      'BINARY_FILE',
      `${url} is ${type || 'of unknown type'}, not text (${body.length} bytes).`,
    );
  const text = decode(body, content_type);
  if (type !== 'text/html' && type !== 'application/xhtml+xml') return { text, html_left_out: 0 };
  const { convert } = await import('html-to-text');
  const converted = convert(text.slice(0, WEB_HTML_CHARACTERS), {
    wordwrap: false,
    baseElements: { selectors: ['main', 'article', 'body'], returnDomByDefault: true },
    selectors: [
      {
        selector: 'a',
        options: { hideLinkHrefIfSameAsText: true, ignoreHref: false, baseUrl: new URL(url).origin },
      },
      { selector: 'img', format: 'skip' },
      { selector: 'nav', format: 'skip' },
    ],
  });
  return { text: converted, html_left_out: Math.max(0, text.length - WEB_HTML_CHARACTERS) };
}

function isText(type: string): boolean {
  return type.startsWith('text/') || /[/+](json|xml|yaml|javascript|x-ndjson|x-yaml|toml)$/.test(type);
}

function decode(body: Buffer, contentType: string): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder().decode(body);
    throw error;
  }
}
