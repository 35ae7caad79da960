import { errorInfo, parseBoundedJson } from '@amplifier/host';
import { HTTP_BATCH, HTTP_BODY_BYTES, HTTP_BODY_MEMBERS } from '../defaults.js';

/** The parsed body of a request, undefined where it has none; or the refusal of one that is too large to be worked on. */
export type ReadBody = { parsedBody?: unknown } | { refused: Response };

/** Reads the body of a request once, for everyone who needs it. It is bounded before it is parsed. */
export async function readBody(request: Request, maxBytes = HTTP_BODY_BYTES): Promise<ReadBody> {
  if (request.method !== 'POST') return {};
  const text = await readText(request, maxBytes);
  if (text === null) return refuse(413, -32600, `The body is larger than ${maxBytes} bytes.`);
  try {
    const bounds = { size: Number.POSITIVE_INFINITY, members: HTTP_BODY_MEMBERS };
    const parsedBody = parseBoundedJson(text, 'The body', bounds);
    if (!Array.isArray(parsedBody) || parsedBody.length <= HTTP_BATCH) return { parsedBody };
    return refuse(
      413,
      -32600,
      `The body has more than ${HTTP_BATCH} messages. Send them in several requests.`,
    );
  } catch (error) {
    const { message } = errorInfo(error);
    if (error instanceof SyntaxError) return refuse(400, -32700, `The body is not JSON: ${message}.`);
    return refuse(413, -32600, message);
  }
}

/** Null where there is more than allowed. */
async function readText(request: Request, maxBytes: number): Promise<string | null> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refuse(status: number, code: number, message: string): { refused: Response } {
  const body = { jsonrpc: '2.0', id: null, error: { code, message } };
  return { refused: Response.json(body, { status }) };
}
