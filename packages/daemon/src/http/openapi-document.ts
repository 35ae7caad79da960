import { OpenAPIHono } from '@hono/zod-openapi';
import { isOperators, scopeOf } from '../auth/scope.js';
import { DAEMON_ERRORS, type DaemonErrorCode } from '../error-codes.js';
import { type Endpoint, type Shape, z } from './endpoint.js';
import { ProblemSchema } from './problem.js';

/** Refusals that any operation may answer with. */
const ANYWHERE: readonly DaemonErrorCode[] = [
  'UNAUTHENTICATED',
  'REPEATED_HEADER',
  'FORBIDDEN',
  'INSUFFICIENT_SCOPE',
  'TENANT_NOT_LISTED',
  'RATE_LIMITED',
  'INTERNAL',
];

const ONCE: readonly DaemonErrorCode[] = [
  'INVALID_IDEMPOTENCY_KEY',
  'IDEMPOTENCY_IN_FLIGHT',
  'IDEMPOTENCY_KEY_REUSED',
];

/** OpenAPI 3.1, made from the endpoints. */
export function openApiDocument(endpoints: readonly Endpoint[], version: string): object {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description:
      '`amplifierd token` prints the token with full access; `amplifierd token create --scope read|run|admin` creates others.',
  });
  for (const definition of endpoints.filter(({ path }) => !isForPeople(path))) {
    const { method, path, tag, summary, description, params, query, body } = definition;
    app.openAPIRegistry.registerPath({
      method,
      path,
      tags: [tag],
      summary,
      description: [
        description,
        isOpen(path) ? '' : `Needs the scope \`${scopeOf(definition)}\`.`,
        isOperators(definition) ? 'Not for tokens of a tenant.' : '',
      ]
        .filter(Boolean)
        .join(' '),
      operationId: operationId(definition),
      security: isOpen(path) ? [] : [{ token: [] }],
      request: {
        ...(params ? { params } : {}),
        ...(query ? { query } : {}),
        ...headersOf(definition),
        ...(body
          ? {
              body: {
                required: !definition.inQuery && !body.safeParse({}).success,
                content: { 'application/json': { schema: body } },
              },
            }
          : {}),
      },
      responses: responsesOf(definition),
    });
  }
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'amplifierd',
      version,
      description:
        'Collections, profiles, mount plans and sessions. Members are snake_case; camelCase is accepted on input. Clients must ignore members they do not know.',
    },
    servers: [{ url: '/' }],
  });
}

/** What a request may carry in its headers. */
function headersOf({ idempotent, errors = [] }: Endpoint): { headers?: Shape } {
  const shape: Record<string, z.ZodType> = {};
  if (idempotent) {
    const description = 'Executes the request once; for a day, the same key gets the same response.';
    shape['Idempotency-Key'] = z.string().optional().openapi({ description, example: 'order-1' });
  }
  if (errors.includes('VERSION_MISMATCH')) {
    const description = 'The ETag of the version to change.';
    shape['If-Match'] = z.string().optional().openapi({ description, example: '"v7"' });
  }
  return Object.keys(shape).length > 0 ? { headers: z.object(shape) } : {};
}

function responsesOf(definition: Endpoint) {
  const { success, errors = [], path, params, query, body, idempotent } = definition;
  const { status, description, schema, content_type = 'application/json' } = success;
  const content = schema
    ? {
        content: {
          [content_type]: { schema },
          ...(success.streams ? { 'text/event-stream': { schema: z.string() } } : {}),
        },
      }
    : {};
  const responses: Record<string, { description: string; content?: object }> = {
    [status]: { description, ...content },
  };
  const codes = new Set<DaemonErrorCode>([
    ...errors,
    ...(isOpen(path) ? (['REPEATED_HEADER', 'FORBIDDEN'] as const) : ANYWHERE),
  ]);
  if (isOperators(definition)) codes.add('OPERATOR_ONLY');
  if (idempotent) for (const code of ONCE) codes.add(code);
  if (path.includes('{session_id}')) codes.add('SESSION_NOT_FOUND');
  if (params) codes.add('INVALID_ID');
  if (query) codes.add('INVALID_QUERY');
  if (body)
    for (const code of [
      'MALFORMED_JSON',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'VALIDATION_FAILED',
    ] as const)
      codes.add(code);
  for (const refused of new Set([...codes].map((code) => DAEMON_ERRORS[code][0]))) {
    const list = [...codes].filter((code) => DAEMON_ERRORS[code][0] === refused).sort();
    responses[refused] = {
      description: list.map((code) => `${code}: ${DAEMON_ERRORS[code][1]}`).join('\n\n'),
      content: { 'application/problem+json': { schema: ProblemSchema } },
    };
  }
  return responses;
}

function operationId({ method, path }: Endpoint): string {
  const words = path
    .replace('/api/v1', '')
    .split(/[/{}_.-]+/)
    .filter(Boolean);
  return [method, ...words]
    .map((word, at) => (at === 0 ? word : word[0]?.toUpperCase() + word.slice(1)))
    .join('');
}

/** Where links lead: pages, and no operations. */
function isForPeople(path: string): boolean {
  return path === '/sign-in' || path === '/shared';
}

function isOpen(path: string): boolean {
  return path === '/healthz' || path === '/readyz';
}
