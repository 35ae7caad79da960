import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@amplifier/core';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Caller, Scope } from '../auth/scope.js';
import type { Pieces } from '../byte-cache.js';
import { DaemonError, type FieldError } from '../daemon-error.js';
import type { DaemonErrorCode } from '../error-codes.js';
import type { Services } from '../services.js';
import type { Once } from './idempotency.js';

export type Shape = z.ZodObject;
type Output<S> = S extends z.ZodType ? z.output<S> : Record<never, never>;
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string> & ParamsOf<Rest>
  : unknown;

/**
 * What a handler answers. `json` is a body that is already rendered; `stream` gets the response after its headers have
 * been sent, and must end it.
 */
export interface Reply {
  status?: 200 | 201 | 202 | 204 | 303 | 304 | 404 | 410 | 503;
  body?: unknown;
  json?: string | Pieces;
  stream?: (response: ServerResponse) => void;
  /** Text that is made while it is sent, at the pace of the reader. The connection is cut where it fails. */
  lines?: AsyncIterable<string>;
  headers?: Record<string, string>;
}

interface Call<P, Q, B> {
  /** Only for an `idempotent` operation, and only when the request has a key. */
  once: Once | null;
  params: P;
  query: Q;
  body: B;
  context: Context;
  caller: Caller;
  /** Those of the tenant of the caller. */
  services: Services;
}

type Answer = Promise<Reply | Response> | Reply | Response;

/**
 * One operation of the API: what it takes, what it gives, which refusals to expect, and the code behind it. The OpenAPI
 * document is made from the same object that checks the requests, so the two cannot differ.
 */
export interface Endpoint {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `{name}` for what varies. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  params?: Shape;
  query?: Shape;
  body?: Shape;
  /**
   * Members of the query that say what the body may say too; where both do, the body counts. A query alone is then enough, and a
   * body of another form is the member `rest`.
   */
  inQuery?: { members: readonly string[]; rest?: string };
  success: {
    status: 200 | 201 | 202 | 204;
    description: string;
    schema?: z.ZodType;
    content_type?: string;
    /** Also given as a stream of events, to those who accept that. */
    streams?: true;
  };
  /** Beside those that its form implies, such as `SESSION_NOT_FOUND` where the address names a session. */
  errors?: readonly DaemonErrorCode[];
  /** What a token must be allowed to. Default: `read` for get, else `run`. */
  scope?: Scope;
  /** Only for the operator's own tokens, not for those of a tenant. Default: where the scope is `admin`. */
  operator?: boolean;
  /** Also for whoever has a link that shares the session in the address, or one above it. */
  shared?: true;
  /** A request with an `Idempotency-Key` is carried out once. Such a handler must answer with a `Reply` that is no stream. */
  idempotent?: true;
  /** It changes nothing but the record, in which its line of the audit comes first. */
  recordOnly?: true;
  /** It takes much memory, so that a caller has only so many at once, or one alone. Streams of events do not count. */
  large?: true | 'alone';
  handle(call: Call<never, never, never>): Answer;
}

/** An operation as it is written. `params` says only what is narrower than any text. */
type Definition<Path extends string, P, Q, B> = Omit<
  Endpoint,
  'method' | 'path' | 'tag' | 'params' | 'query' | 'body' | 'handle'
> & {
  params?: P;
  query?: Q;
  body?: B;
  handle(call: Call<ParamsOf<Path> & Output<P>, Output<Q>, Output<B>>): Answer;
};

/** Makes the operations of one part of the API, by method; what they share is said once. */
export function endpoints(shared: Pick<Endpoint, 'tag' | 'scope' | 'operator'>) {
  const by =
    (method: Endpoint['method']) =>
    <
      const Path extends string,
      P extends Shape | undefined = undefined,
      Q extends Shape | undefined = undefined,
      B extends Shape | undefined = undefined,
    >(
      path: Path,
      definition: Definition<Path, P, Q, B>,
    ): Endpoint =>
      ({ ...shared, ...definition, ...paramsOf(path, definition.params), method, path }) as Endpoint;
  return { get: by('get'), post: by('post'), put: by('put'), patch: by('patch'), delete: by('delete') };
}

const EXAMPLES: Record<string, string> = {
  session_id: 'session_01KA1B2C3D4E5F6G7H8J9K0M1N',
  collection: 'foundation',
  profile: 'base',
};

/** What varies in an address is text, unless it is said to be narrower. */
function paramsOf(path: string, given: Shape | undefined): { params?: Shape } {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (names.length === 0) return {};
  const shape = names.map((name) => [
    name,
    z.string().openapi({
      param: { name, in: 'path' },
      ...(name in EXAMPLES ? { example: EXAMPLES[name] } : {}),
    }),
  ]);
  return { params: z.object({ ...Object.fromEntries(shape), ...given?.shape }) };
}

/** Checks one part of a request. Members may be spelled in camelCase where the schema has snake_case. */
export function parsePart(schema: unknown, value: JsonObject, part: 'path' | 'query' | 'body'): unknown {
  const shape = schema as Shape;
  const parsed = shape.safeParse(acceptCamelCase(shape, value));
  if (parsed.success) return parsed.data;
  const errors: FieldError[] = parsed.error.issues.map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message,
  }));
  const code = part === 'body' ? 'VALIDATION_FAILED' : part === 'query' ? 'INVALID_QUERY' : 'INVALID_ID';
  const first = errors[0];
  throw new DaemonError(code, `The ${part} is invalid: ${first?.path || part}: ${first?.message}.`, {
    errors,
  });
}

/** The body, with what the query says in its place. */
export function bodyWithQuery(
  { inQuery }: Pick<Endpoint, 'inQuery'>,
  query: JsonObject,
  body: JsonObject,
): JsonObject {
  if (!inQuery) return body;
  const { members, rest } = inQuery;
  const said = Object.fromEntries(
    members.filter((member) => query[member] !== undefined).map((member) => [member, query[member]]),
  );
  if (Object.keys(said).length === 0) return body;
  const isRest = rest !== undefined && Object.keys(body).length > 0 && !members.some((each) => each in body);
  return { ...said, ...(isRest && !(rest in body) ? { [rest]: body } : body) };
}

function acceptCamelCase(schema: Shape, value: JsonObject): JsonObject {
  const { shape } = schema;
  let renamed: JsonObject | undefined;
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(shape, key)) continue;
    const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (snake === key || !Object.hasOwn(shape, snake) || Object.hasOwn(value, snake)) continue;
    renamed ??= { ...value };
    delete renamed[key];
    renamed[snake] = value[key];
  }
  return renamed ?? value;
}

export { z };
