import { DaemonError } from '../daemon-error.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';

const api = endpoints({ tag: 'trees' });

/** Lines that the offline provider carries out as they stand: three agents at once. */
const INSTRUCTION = `Find out what this folder holds.
- delegate explorer: read README.md
- delegate reviewer: glob *.json
- delegate self: glob *.md`;

/** A delegation anybody can watch, without a key and without the network. */
export function demoEndpoints(): Endpoint[] {
  return [
    api.post('/api/v1/demo', {
      summary:
        'Start a demo delegation on fixed rules: no key, no network, real sessions and read-only tools',
      success: {
        status: 202,
        description: 'It works.',
        schema: z.object({ session_id: z.string(), run_id: z.string() }),
      },
      errors: ['DELEGATION_REFUSED'],
      async handle({ services: { home, runtime, runs, folders } }) {
        if (!home.isUsers)
          throw new DaemonError(
            'DELEGATION_REFUSED',
            'Sessions of this server need a profile, and the demo has none.',
          );
        const host = await runtime.hosts.offlineIn(await folders.known(null));
        const { session_id } = await host.create({ safety_mode: 'read_only', trusted: false });
        const { run_id } = await runs.submit({ session_id, instruction: INSTRUCTION });
        return { body: { session_id, run_id } };
      },
    }),
  ];
}
