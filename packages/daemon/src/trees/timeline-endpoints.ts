import { MAX_TREE_NODES, TIMELINE_SESSIONS } from '../defaults.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import { pageOf } from '../http/paging.js';
import type { Services } from '../services.js';
import { SpanView, spansOf } from './timeline.js';
import { withinTree } from './tree-node.js';

const api = endpoints({ tag: 'trees' });

/** What a tree did when. */
export function timelineEndpoints({ store }: Services): Endpoint[] {
  return [
    api.get('/api/v1/sessions/{session_id}/timeline', {
      shared: true,
      summary: 'Get the timeline of a session and its descendants, as spans',
      description: `Derived from the logs: turns, model calls, tools and waits for people. The spans of ${TIMELINE_SESSIONS} sessions, parents first, are on one page.`,
      query: z.object({
        cursor: z.string().max(200).optional().openapi({ description: 'From the header X-Next-Cursor.' }),
      }),
      success: { status: 200, description: 'By session, in order.', schema: z.array(SpanView) },
      errors: ['INVALID_CURSOR'],
      async handle({ params: { session_id }, query: { cursor }, context }) {
        const { root_id } = await store.metadata(session_id);
        const nodes = withinTree(await store.tree(root_id, MAX_TREE_NODES), session_id);
        const wish = { limit: TIMELINE_SESSIONS, cursor };
        const { items, reply } = pageOf(nodes, (node) => node.session_id, wish, context);
        const logs = await Promise.all(items.map((node) => store.events(node.session_id)));
        return { ...reply, body: logs.flatMap(spansOf) };
      },
    }),
  ];
}
