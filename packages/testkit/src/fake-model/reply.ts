/** What the fake model does with one request. Members combine: it may think, speak, call tools and then break. */
export interface FakeReply {
  thinking?: string;
  text?: string;
  /** `raw_arguments` is sent as it is, for arguments that are no JSON. */
  tool_calls?: { id?: string; name: string; arguments?: Record<string, unknown>; raw_arguments?: string }[];
  usage?: FakeUsage;
  finish?: 'stop' | 'length' | 'content_filter';
  /** Wait this long before the first byte, on the server's clock. */
  sleep_ms?: number;
  /** Never answer, or send the content and then never finish. Only the client can end it. */
  hang?: 'before' | 'midway';
  /** Answer with this status and the wire's own error body. */
  fail?: { status: number; message?: string; headers?: Record<string, string> };
  /** Destroy the connection after the content. */
  cut?: boolean;
  /** Send a frame that is no JSON after the content. */
  malformed?: boolean;
  /** Send the wire's own error event after the content. */
  stream_error?: string;
}

export interface FakeUsage {
  /** All input, what came from the cache included. */
  input_tokens?: number;
  output_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  reasoning_tokens?: number;
}

/** A tool call with everything made up that the script left open. */
export interface FakeCall {
  id: string;
  name: string;
  arguments: string;
}

/** A reply ready to be written on a wire. */
export interface Answer {
  id: string;
  model: string;
  thinking: string | null;
  text: string | null;
  calls: FakeCall[];
  finish: 'stop' | 'length' | 'content_filter' | 'tool_calls';
  usage: Required<FakeUsage>;
}

export function completeReply(reply: FakeReply, model: string, serial: number): Answer {
  const calls = (reply.tool_calls ?? []).map(({ id, name, arguments: input = {}, raw_arguments }, index) => ({
    id: id ?? `call_${serial}_${index + 1}`,
    name,
    arguments: raw_arguments ?? JSON.stringify(input),
  }));
  return {
    id: `reply_${serial}`,
    model,
    thinking: reply.thinking ?? null,
    text: reply.text ?? null,
    calls,
    finish: reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      ...reply.usage,
    },
  };
}

const LONG = 2_000;
const SLICE = 16_384;

/** Cuts a text the way models stream it: word by word, long ones in large slices. */
export function pieces(text: string): string[] {
  if (text.length <= LONG) return text.match(/\S+\s*|\s+/g) ?? [];
  const slices: string[] = [];
  for (let at = 0; at < text.length; at += SLICE) slices.push(text.slice(at, at + SLICE));
  return slices;
}
