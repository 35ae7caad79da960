import { eventPages } from '@amplifier/sessions';
import { MAX_TREE_NODES, TIMELINE_SESSIONS, TIMELINE_SPANS } from '../../defaults.js';
import { type Endpoint, endpoints, z } from '../../http/endpoint.js';
import { pageHeaders, pageOf } from '../../http/paging.js';
import { type Span, SpanView, spansOf } from '../../views/timeline.js';
import { withinTree } from '../../views/tree-node.js';

const api = endpoints({ tag: 'trees' });

/** What a tree did when. */
export function timelineEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/sessions/{session_id}/timeline', {
      shared: true,
      large: true,
      summary: 'Get the timeline of a session and its descendants, as spans',
      description: `Derived from the logs: turns, model calls, tools and waits for people. A page has the spans of up to ${TIMELINE_SESSIONS} sessions, parents first, and ends with the session that brings it to ${TIMELINE_SPANS} spans.`,
      query: z.object({
        cursor: z.string().max(200).optional().openapi({ description: 'From the header X-Next-Cursor.' }),
      }),
      success: { status: 200, description: 'By session, in order.', schema: z.array(SpanView) },
      errors: ['INVALID_CURSOR'],
      async handle({ params: { session_id }, query: { cursor }, context, services: { store } }) {
        const { root_id } = await store.metadata(session_id);
        const nodes = withinTree(await store.tree(root_id, MAX_TREE_NODES), session_id);
        const options = { limit: TIMELINE_SESSIONS, cursor };
        const ids = nodes.map((node) => ({ session_id: node.session_id }));
        const { items, reply } = pageOf(ids, (node) => node.session_id, options, context);
        const spans: Span[] = [];
        for (const node of items) {
          for (const span of await spansOf(eventPages(store, node.session_id))) spans.push(span);
          if (spans.length < TIMELINE_SPANS || node === items.at(-1)) continue;
          return { body: spans, headers: pageHeaders(context.req.url, node.session_id) };
        }
        return { headers: reply.headers ?? {}, body: spans };
      },
    }),
  ];
}
