import { SCOPES } from '../auth/scope.js';
import type { TokenRecord } from '../auth/scoped-tokens.js';
import { checkListed } from '../config.js';
import { DaemonError } from '../daemon-error.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';

const api = endpoints({ tag: 'browser', scope: 'admin', operator: false });
const time = z.string().openapi({ format: 'date-time' });
const TokenView = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    kind: z.enum(['token', 'browser', 'share']),
    scope: z.enum(SCOPES),
    tenant: z.string().nullable().openapi({ description: 'The tenant; null: the operator.' }),
    created_at: time,
    expires_at: time.nullable(),
    session_id: z.string().nullable().openapi({ description: 'The session of a shared link.' }),
  })
  .openapi('Token');

/** Tokens, browsers that are signed in, and shared links; never the secrets themselves. */
export function tokenEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/tokens', {
      summary: 'List tokens, signed-in browsers and shared links, oldest first',
      success: { status: 200, description: 'Without their secrets.', schema: z.array(TokenView) },
      handle: async ({ services: { tokens } }) => ({ body: (await tokens.list()).map(view) }),
    }),
    api.post('/api/v1/tokens', {
      summary: 'Make a token',
      body: z.object({
        scope: z.enum(SCOPES),
        name: z.string().max(200).nullish(),
        tenant: z
          .string()
          .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
          .optional()
          .openapi({
            description:
              'The tenant of the new token. A tenant’s tokens can create only tokens of that tenant.',
            example: 'team-a',
          }),
      }),
      success: {
        status: 201,
        description: 'The only response that contains the token itself.',
        schema: TokenView.extend({ token: z.string() }).openapi('NewToken'),
      },
      errors: ['TENANT_NOT_LISTED'],
      async handle({ body: { scope, name, tenant }, caller, services: { tokens, clock, home, config } }) {
        if (tenant !== undefined && (home.isUsers || tenant !== (caller.tenant ?? tenant)))
          throw new DaemonError(
            'OPERATOR_ONLY',
            'Only the operator of a deployment creates tenants’ tokens.',
          );
        const whose = tenant === undefined ? {} : { tenant: checkListed(config.tenants, tenant) };
        const { token, record } = await tokens.create({ scope, name: name ?? null, ...whose }, clock);
        return { body: { ...view(record), token } };
      },
    }),
    api.delete('/api/v1/tokens/{token_id}', {
      summary: 'Revoke a token, a browser or a shared link',
      success: { status: 204, description: 'Open streams end with `revoked`.' },
      errors: ['TOKEN_NOT_FOUND'],
      async handle({ params: { token_id }, services: { tokens, events } }) {
        await tokens.revoke(token_id);
        events.checkTokens();
        return { status: 204 };
      },
    }),
  ];
}

function view({ id, name, kind, scope, tenant, created_at, expires_at, session_id }: TokenRecord) {
  return {
    id,
    name,
    kind: kind ?? ('token' as const),
    scope,
    tenant: tenant ?? null,
    created_at,
    expires_at: expires_at ?? null,
    session_id: session_id ?? null,
  };
}
