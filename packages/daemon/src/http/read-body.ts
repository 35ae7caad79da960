import type { JsonObject } from '@amplifier/core';
import { isPlainObject } from '@amplifier/core';
import type { HonoRequest } from 'hono';
import { DaemonError } from '../daemon-error.js';
import { MAX_JSON_DEPTH } from '../defaults.js';

/** The body's text, without reading more than allowed. */
export async function readText(request: HonoRequest, limit: number): Promise<string> {
  const announced = request.header('content-length');
  if (announced !== undefined) {
    if (Number(announced) > limit) throw tooLarge(limit);
    return request.text();
  }
  const body = request.raw.body;
  if (!body) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The body as a JSON object; `{}` when there is none. */
export async function readJson(request: HonoRequest, limit: number): Promise<JsonObject> {
  const text = await readText(request, limit);
  if (text.trim() === '') return {};
  const type = request.header('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new DaemonError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body is sent as ${JSON.stringify(type)}. Send JSON, with the header "Content-Type: application/json".`,
    );
  }
  checkDepth(text);
  const value = parse(text);
  if (isPlainObject(value)) return value;
  throw new DaemonError('VALIDATION_FAILED', 'The body is JSON, but no object. Send { … }.', {
    errors: [{ path: '', message: 'must be an object' }],
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DaemonError('MALFORMED_JSON', `The body is not JSON: ${(cause as Error).message}.`, { cause });
  }
}

/** Counts brackets outside of strings, before anything that recurses sees them. */
function checkDepth(text: string): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > MAX_JSON_DEPTH) {
        throw new DaemonError(
          'MALFORMED_JSON',
          `The body is nested more than ${MAX_JSON_DEPTH} levels deep.`,
        );
      }
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

function tooLarge(limit: number): DaemonError {
  return new DaemonError('PAYLOAD_TOO_LARGE', `The body is larger than the ${limit} bytes allowed here.`);
}
