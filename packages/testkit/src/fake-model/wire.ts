import type { Answer } from './reply.js';

export type Body = Record<string, unknown>;

/** One step of a conversation as the fake model sees it, whatever the wire. */
export interface Step {
  role: 'system' | 'user' | 'assistant' | 'tool';
  text: string;
}

/** A vendor's way of speaking. Pure: the server does all the input and output. */
export interface Wire {
  readonly name: string;
  matches(path: string): boolean;
  model(body: Body, path: string): string;
  wantsStream(body: Body, path: string): boolean;
  /** Steps in order; neighbouring assistant items of one answer may be several steps. */
  steps(body: Body): Step[];
  readonly streamType: string;
  /** `content` says everything, `end` closes the stream; a cut falls between the two. */
  frames(answer: Answer): { content: string[]; end: string[] };
  whole(answer: Answer): Body;
  readonly malformedFrame: string;
  errorBody(status: number, message: string): Body;
  errorFrame(message: string): string;
}

export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The text of a content that may be a string or a list of blocks. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((block) => (typeof block.text === 'string' ? block.text : ''))
    .join('\n');
}

export function list(value: unknown): Body[] {
  return Array.isArray(value) ? (value as Body[]) : [];
}
