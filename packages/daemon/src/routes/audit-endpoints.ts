import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import { pageHeaders } from '../http/paging.js';

const api = endpoints({ tag: 'daemon' });

const AuditView = z
  .object({
    n: z.int(),
    time: z.string().openapi({ format: 'date-time' }),
    tenant: z.string().openapi({ description: 'The tenant of the token; empty for the operator.' }),
    caller: z.string().openapi({ description: 'The id of the token, or `owner`.' }),
    operation: z.string().openapi({ example: 'POST /api/v1/sessions/{session_id}/runs' }),
    target: z.string().openapi({ example: '/api/v1/sessions/session_01k0/runs' }),
    outcome: z.int().openapi({ description: 'The response status; 0 if the daemon died first.' }),
  })
  .openapi('AuditLine');

/** Who changed what. */
export function auditEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/audit', {
      scope: 'admin',
      operator: false,
      summary: 'List who changed what, newest first',
      description: 'Every request that changes something is listed, also at `/mcp`; a tenant sees its own.',
      query: z.object({
        limit: z.coerce.number().int().min(1).max(1_000).default(100),
        cursor: z.coerce.number().int().positive().optional(),
      }),
      success: { status: 200, description: 'One page.', schema: z.array(AuditView) },
      async handle({ query: { limit, cursor }, context, services: { audit } }) {
        const lines = await audit.list({ before: cursor, limit });
        const last = lines.at(-1);
        const next = lines.length === limit && last ? String(last.n) : null;
        return { body: lines, headers: pageHeaders(context.req.url, next) };
      },
    }),
  ];
}
