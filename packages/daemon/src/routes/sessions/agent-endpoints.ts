import { isPlainObject } from '@amplifier/core';
import type { ExternalAgent } from '@amplifier/host';
import { type Endpoint, endpoints, z } from '../../http/endpoint.js';
import { pageOf, paging } from '../../http/paging.js';
import { toCorePlan } from '../../plans/to-core-plan.js';

const api = endpoints({ tag: 'runs' });

const AgentView = z
  .object({
    name: z.string().openapi({ description: 'The value for `agent` of `delegate`.' }),
    source: z.enum(['plan', 'acp']).openapi({
      description: '`plan`: of the session’s mount plan. `acp`: an external coding agent of the roster.',
    }),
    description: z.string().nullable(),
    installed: z
      .boolean()
      .openapi({ description: 'False for an external agent whose program is not found.' }),
  })
  .openapi('SessionAgent', {
    example: { name: 'zen-architect', source: 'plan', description: 'Designs simply.', installed: true },
  });
type AgentView = z.infer<typeof AgentView>;

/** Whom a session can hand tasks to. */
export function agentEndpoints(): Endpoint[] {
  return [
    api.get('/api/v1/sessions/{session_id}/agents', {
      summary: 'List the agents that a session can delegate to',
      description: 'Agents of its mount plan first, then the external coding agents, installed or not.',
      query: z.object(paging),
      success: { status: 200, description: 'A page of agents.', schema: z.array(AgentView) },
      errors: ['MOUNT_PLAN_NOT_FOUND', 'INVALID_CURSOR'],
      async handle({ params: { session_id }, query, context, services: { plans, environment, cwd } }) {
        const { builtinExternalAgents } = await import('@amplifier/host');
        const plan = await plans.get(session_id);
        const { agents } = toCorePlan(plan);
        const external =
          plan.session.agent_access === 'roster' ? [] : await builtinExternalAgents({ environment, cwd });
        const all = [...ofPlan(agents), ...external.map(ofRoster)];
        return pageOf(all, ({ name }) => name, query, context).reply;
      },
    }),
  ];
}

function ofPlan(agents: unknown): AgentView[] {
  return Object.entries(isPlainObject(agents) ? agents : {}).map(([name, overlay]) => {
    const description = isPlainObject(overlay) ? overlay.description : null;
    return {
      name,
      source: 'plan',
      description: typeof description === 'string' ? description : null,
      installed: true,
    };
  });
}

function ofRoster({ name, agent, program }: ExternalAgent): AgentView {
  return { name, source: 'acp', description: agent.display_name, installed: program !== null };
}
