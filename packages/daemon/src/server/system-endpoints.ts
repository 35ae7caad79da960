import { statfs } from 'node:fs/promises';
import { DaemonError } from '../daemon-error.js';
import { MIN_FREE_BYTES } from '../defaults.js';
import { docsPage } from '../http/docs-page.js';
import { type Endpoint, endpoint, z } from '../http/endpoint.js';
import { openApiDocument } from '../http/openapi-document.js';
import type { Services } from '../services.js';

const tag = 'daemon';

/** Why nothing can be kept; null when it can. */
async function fullDisk(folder: string): Promise<string | null> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < MIN_FREE_BYTES ? `The disk of ${folder} is full.` : null;
}

/** Health, what the daemon is, and the description of its API. `others` are what is described beside these. */
export function systemEndpoints(services: Services, others: readonly Endpoint[]): Endpoint[] {
  const { clock, started_at, version, home, unready, notes } = services;
  const own: Endpoint[] = [
    endpoint({
      method: 'get',
      path: '/healthz',
      tag,
      summary: 'Is the process alive?',
      success: { status: 200, description: 'It is.', schema: z.object({ status: z.literal('ok') }) },
      handle: () => ({ body: { status: 'ok' } }),
    }),
    endpoint({
      method: 'get',
      path: '/readyz',
      tag,
      summary: 'Can it serve?',
      success: {
        status: 200,
        description: 'It can. `notes` say what is amiss all the same.',
        schema: z.object({ status: z.literal('ready'), notes: z.array(z.string()) }),
      },
      errors: ['NOT_READY'],
      async handle() {
        const why = unready() ?? (await fullDisk(home.state));
        if (why !== null) throw new DaemonError('NOT_READY', why);
        return { body: { status: 'ready', notes: notes() } };
      },
    }),
    endpoint({
      method: 'get',
      path: '/api/v1/status',
      tag,
      summary: 'What is running here',
      success: {
        status: 200,
        description: 'The daemon.',
        schema: z.object({
          status: z.string(),
          version: z.string(),
          pid: z.int(),
          started_at: z.string(),
          uptime_seconds: z.number(),
          home: z.string(),
        }),
      },
      handle: () => ({
        body: {
          status: unready() === null ? 'ready' : 'starting',
          version,
          pid: process.pid,
          started_at,
          uptime_seconds: Math.round((clock.now() - Date.parse(started_at)) / 1000),
          home: home.home,
        },
      }),
    }),
    endpoint({
      method: 'get',
      path: '/metrics',
      tag,
      summary: 'Figures for Prometheus',
      success: { status: 200, description: 'Text.', schema: z.string(), content_type: 'text/plain' },
      handle: async () => ({
        json: await services.metrics.render(),
        headers: { 'content-type': services.metrics.content_type },
      }),
    }),
    endpoint({
      method: 'get',
      path: '/openapi.json',
      tag,
      summary: 'This description',
      success: { status: 200, description: 'OpenAPI 3.1.', schema: z.looseObject({}) },
      handle: () => ({ body: openApiDocument(described, version) }),
    }),
  ];
  const described: Endpoint[] = [...own, ...others];
  return [...described, ...docsPage()];
}
