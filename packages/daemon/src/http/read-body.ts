import type { JsonObject } from '@amplifier/core';
import { errorInfo, isPlainObject, parseBoundedJson } from '@amplifier/core';
import type { HonoRequest } from 'hono';
import { DaemonError } from '../daemon-error.js';
import { MAX_BODY_MEMBERS } from '../defaults.js';

/** The lines of the body as they arrive, without the empty ones; never more than allowed. */
export async function* readBodyLines(request: HonoRequest, limit: number): AsyncGenerator<string> {
  if (Number(request.header('content-length') ?? 0) > limit) throw tooLarge(limit);
  const body = request.raw.body;
  if (!body) return;
  const decoder = new TextDecoder();
  let size = 0;
  let rest = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += first;
    for (const next of others) {
      if (rest.trim() !== '') yield rest;
      rest = next;
    }
  }
  rest += decoder.decode();
  if (rest.trim() !== '') yield rest;
}

/** The body as a JSON object; `{}` when there is none. */
export async function readJson(request: HonoRequest): Promise<JsonObject> {
  const text = await request.text();
  if (text.trim() === '') return {};
  const type = request.header('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new DaemonError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body is sent as ${JSON.stringify(type)}. Send JSON, with the header "Content-Type: application/json".`,
    );
  }
  const value = parse(text);
  if (isPlainObject(value)) return value;
  throw new DaemonError('VALIDATION_FAILED', 'The body is JSON, but not an object. Send { … }.', {
    errors: [{ path: '', message: 'must be an object' }],
  });
}

/** Parses a body. Its size has been checked; what it consists of is checked before it is parsed. */
function parse(text: string): unknown {
  try {
    return parseBoundedJson(text, 'The body', {
      size: Number.POSITIVE_INFINITY,
      members: MAX_BODY_MEMBERS,
    });
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw new DaemonError('MALFORMED_JSON', `The body is not JSON: ${cause.message}.`, { cause });
    throw new DaemonError('MALFORMED_JSON', errorInfo(cause).message, { cause });
  }
}

export function tooLarge(limit: number): DaemonError {
  return new DaemonError('PAYLOAD_TOO_LARGE', `The body is larger than the ${limit} bytes allowed here.`);
}
