import { Memo, type Tool } from '@amplifier/core';
import { z } from 'zod';
import { WEB_HTML_CHARACTERS } from '../defaults.js';
import { defineTool } from '../define-tool.js';
import { requireGrant } from '../session-grant.js';
import { ToolError } from '../tool-error.js';
import { within } from '../within.js';
import { fetchPage, type Page, readUrl } from './fetch-page.js';
import type { ResolveHost } from './resolve-host.js';
import type { WebConfig } from './web-config.js';

const Input = (max_characters: number) =>
  z.object({
    url: z.string().describe('http or https, in full'),
    offset: z
      .number()
      .int()
      .nonnegative()
      .default(0)
      .describe('Characters to skip, to read on in a long page'),
    limit: z.number().int().positive().max(max_characters).default(max_characters),
  });

/** By the limit that is in them. A tool is made for each turn, and its JSON Schema is derived once per schema. */
const inputs = new Memo<ReturnType<typeof Input>>();

export function webFetchTool(config: WebConfig, resolve: ResolveHost): Tool {
  return defineTool({
    name: 'web_fetch',
    description: 'Fetch a web page or a text file from the internet and read it as text.',
    input: inputs.get(`${config.max_characters}`, () => Input(config.max_characters)),
    async run({ url, offset, limit }, context) {
      requireGrant(context, { kind: 'network', host: readUrl(url).hostname });
      const page = await within(config.timeout_ms, `Fetching ${url}`, context, (signal) =>
        fetchPage(url, config, resolve, signal),
      );
      const { text, html_left_out } = await pageText(page);
      const content = text.slice(offset, offset + limit).toWellFormed();
      const left = text.length - offset - content.length;
      return {
        url: page.url,
        status: page.status,
        content_type: page.content_type,
        content,
        ...(left > 0 ? { next_offset: offset + content.length, characters_left: left } : {}),
        ...(html_left_out > 0
          ? {
              left_out: `Only the first ${WEB_HTML_CHARACTERS} characters of the HTML were read; the other ${html_left_out} were left out.`,
            }
          : {}),
        ...(page.truncated ? { truncated_at_bytes: config.max_bytes } : {}),
      };
    },
  });
}

interface PageText {
  text: string;
  /** Characters of the HTML behind what was converted. */
  html_left_out: number;
}

/** What a reader gets from a page: markup becomes text with its links, text stays, anything else is refused. */
async function pageText({ url, content_type, body }: Page): Promise<PageText> {
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
