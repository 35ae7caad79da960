import { useState } from 'preact/hooks';
import { listAgents } from '../api/calls.js';
import type { Agent } from '../api/types.js';
import { isWithin } from '../palette/entries.js';
import { go, place } from '../route/route.js';
import { Expandable } from '../ui/expandable.js';
import { count, plain } from '../ui/format.js';
import { Shown, useLoaded } from '../ui/load.js';
import { TryAgent } from './try-agent.js';

const STATES: Record<Agent['state'], string> = {
  ready: 'ready',
  not_installed: 'not installed',
  unusable: 'cannot be used',
};

/** Who can be handed a task, where each comes from, and what it would run on. */
export default function AgentsPage() {
  const [agents] = useLoaded(listAgents, []);
  const [wanted, setWanted] = useState('');
  const chosen = place.value.query.get('agent');
  return (
    <main class="page agents">
      <h1>Agents</h1>
      <input
        type="search"
        aria-label="Find an agent"
        placeholder="Find an agent"
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
      <Shown of={agents} rows={12}>
        {(all) => {
          const found = all.filter(({ name }) => isWithin(wanted.toLowerCase(), name.toLowerCase()));
          const own = found.filter(({ external }) => !external);
          const external = found.filter((each) => each.external && each.state !== 'not_installed');
          const missing = found.filter(({ state }) => state === 'not_installed');
          return (
            <>
              <AgentTable title="Of this home and project" agents={own} chosen={chosen} />
              <AgentTable title="External coding agents" agents={external} chosen={chosen} />
              {missing.length === 0 ? null : (
                <section>
                  <Expandable
                    key={`${wanted}${missing.some(({ name }) => name === chosen)}`}
                    open={wanted !== '' || missing.some(({ name }) => name === chosen)}
                    head={
                      <strong>
                        {external.length === 0 ? 'External coding agents' : 'More'} that are not installed{' '}
                        <span class="dim">{missing.length}</span>
                      </strong>
                    }
                  >
                    {() => <AgentRows agents={missing} chosen={chosen} />}
                  </Expandable>
                </section>
              )}
              {found.length === 0 ? <p class="dim">No agent matches.</p> : null}
            </>
          );
        }}
      </Shown>
    </main>
  );
}

function AgentTable({ title, agents, chosen }: { title: string; agents: Agent[]; chosen: string | null }) {
  if (agents.length === 0) return null;
  return (
    <section>
      <h2>
        {title} <span class="dim">{agents.length}</span>
      </h2>
      <AgentRows agents={agents} chosen={chosen} />
    </section>
  );
}

function AgentRows({ agents, chosen }: { agents: Agent[]; chosen: string | null }) {
  return (
    <ul class="agent-list">
      {agents.map((agent) => (
        <AgentRow key={`${agent.source}:${agent.name}`} agent={agent} isOpen={agent.name === chosen} />
      ))}
    </ul>
  );
}

function AgentRow({ agent, isOpen }: { agent: Agent; isOpen: boolean }) {
  const role = agent.model_role.join(', ');
  const ran = agent.resolves_to
    ? [agent.resolves_to.provider, agent.resolves_to.model].filter(Boolean).join(' / ')
    : null;
  const open = () =>
    go(isOpen ? '/agents' : `/agents?agent=${encodeURIComponent(agent.name)}`, { replace: true });
  return (
    <li class={isOpen ? 'open' : ''}>
      <button type="button" class="agent-head" aria-expanded={isOpen} onClick={open}>
        <span class="twist" aria-hidden="true" />
        <strong>{plain(agent.name)}</strong>
        <span class="agent-about dim">{plain(agent.description ?? '')}</span>
        <span class="dim agent-model">
          {agent.external ? STATES[agent.state] : (ran ?? 'as the session')}
        </span>
      </button>
      {isOpen ? (
        <div class="agent-body">
          {agent.description ? <p>{plain(agent.description)}</p> : null}
          {agent.problem ? <p class="problem">✕ {plain(agent.problem)}</p> : null}
          <dl>
            <dt>Source</dt>
            <dd>{plain(agent.path ? `${agent.source}, ${agent.path}` : agent.source)}</dd>
            {agent.hides.length > 0 ? (
              <>
                <dt>Hides</dt>
                <dd>{agent.hides.map(({ path }) => plain(path)).join(', ')}</dd>
              </>
            ) : null}
            <dt>Tools</dt>
            <dd>
              {agent.tools.length > 0
                ? agent.tools.map(plain).join(', ')
                : agent.external
                  ? 'its own'
                  : 'those of the session'}
            </dd>
            {agent.external ? (
              <>
                <dt>State</dt>
                <dd>{STATES[agent.state]}</dd>
              </>
            ) : (
              <>
                <dt>Model role</dt>
                <dd>{role === '' ? 'none' : plain(role)}</dd>
                <dt>Runs on</dt>
                <dd>{ran ? plain(ran) : 'what the session that delegates runs on'}</dd>
              </>
            )}
          </dl>
          <TryAgent agent={agent.name} />
        </div>
      ) : null}
      <span class="sr">{count(agent.tools.length, 'tool')}</span>
    </li>
  );
}
