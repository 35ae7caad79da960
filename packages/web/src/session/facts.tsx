import { readLaunch } from '../api/calls.js';
import type { Json } from '../api/types.js';
import { rollUp } from '../live/fold-tree.js';
import { wordOf } from '../live/state-of.js';
import { Elapsed } from '../ui/elapsed.js';
import { Expandable } from '../ui/expandable.js';
import { count, plain, spent, tokens } from '../ui/format.js';
import { Shown, useLoaded } from '../ui/load.js';
import { LongText } from '../ui/long-text.js';
import { Fact } from './fact.js';
import { LaunchFacts } from './launch-facts.js';
import { ProposalFacts } from './proposal-facts.js';
import type { SessionRoom } from './session-room.js';

/** What the selected session was given, may do, and has used. */
export function Facts({ room }: { room: SessionRoom }) {
  const id = room.selected.value;
  const [launch] = useLoaded(() => readLaunch(id).catch(none), [id]);
  const node = room.node.value;
  const kept = room.tree?.nodes.get(id);
  const sum = kept ? rollUp(kept) : null;
  return (
    <aside class="facts" aria-label="Facts">
      {node ? (
        <section>
          <h2>Used</h2>
          <dl>
            <Fact name="State">{node.error ? `${wordOf(node)}: ${plain(node.error)}` : wordOf(node)}</Fact>
            <Fact name="Model">{node.model ? plain(node.model) : 'none yet'}</Fact>
            <Fact name="Elapsed">
              <Elapsed from={node.started_at} to={node.ended_at} />
            </Fact>
            <Fact name="Itself">
              {tokens(node.tokens)} tokens, {spent(node)}
            </Fact>
            {sum && sum.sessions > 1 ? (
              <Fact name={`With ${count(sum.sessions - 1, 'below', 'below')}`}>
                {tokens(sum.tokens)} tokens, {spent(sum)}
              </Fact>
            ) : null}
          </dl>
        </section>
      ) : null}
      <Shown of={launch} rows={10}>
        {(record) => (
          <>
            {proposalsOf(record).map((proposal) => (
              <ProposalFacts key={proposal} id={proposal} />
            ))}
            <LaunchFacts launch={record} />
            <Expandable head="Launch record" class="raw">
              {() => <LongText mono text={JSON.stringify(record.record ?? record, null, 2)} />}
            </Expandable>
          </>
        )}
      </Shown>
      <p class="dim id">{id}</p>
    </aside>
  );
}

function proposalsOf({ proposals }: Json): string[] {
  return Array.isArray(proposals) ? proposals.map(String) : [];
}

/** A session without a launch record: nobody delegated it. */
function none(error: unknown): Json {
  if ((error as { status?: number }).status === 404) return {};
  throw error;
}
