import { useState } from 'preact/hooks';
import { applyProposal, discardProposal, readLaunch, readProposal } from '../api/calls.js';
import type { LaunchOfSession, ResolvedProposal } from '../api/types.js';
import { mayAct } from '../api/who.js';
import { wordOf } from '../live/state-of.js';
import { rollUp } from '../live/tree.js';
import { Elapsed } from '../ui/elapsed.js';
import { Expandable } from '../ui/expandable.js';
import { count, plain, spent, tokens } from '../ui/format.js';
import { Shown, useLoaded } from '../ui/load.js';
import { LongText } from '../ui/long-text.js';
import { attempt, say } from '../ui/notices.js';
import { Patch } from './diff.js';
import { Fact, LaunchFacts } from './launch-facts.js';
import type { SessionRoom } from './session-room.js';

/** What the selected session was given, may do, and has used. */
export function Facts({ room }: { room: SessionRoom }) {
  const id = room.selected.value;
  const [launch] = useLoaded((): Promise<Partial<LaunchOfSession>> => readLaunch(id).catch(none), [id]);
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
            {record.proposals?.map((proposal) => (
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

/** A session without a launch record: nobody delegated it. */
function none(error: unknown): Partial<LaunchOfSession> {
  if ((error as { status?: number }).status === 404) return {};
  throw error;
}

/** What a child that works in isolation would change: apply it or throw it away. */
function ProposalFacts({ id }: { id: string }) {
  const [proposal] = useLoaded(() => readProposal(id), [id]);
  const [done, setDone] = useState<string | null>(null);
  const act = async (word: string, doIt: () => Promise<ResolvedProposal | null>) => {
    setDone(word);
    const answer = await attempt(doIt, () => setDone(null));
    if (answer === undefined) return;
    if (answer?.status !== 'conflict') return say(`The patch was ${word}.`);
    setDone(null);
    say(`The patch no longer applies; nothing was changed: ${pathsOf(answer)}.`, true);
  };
  return (
    <section>
      <h2>Patch</h2>
      <Shown of={proposal} rows={3}>
        {(value) => (
          <>
            <Patch text={value.diff} />
            {!mayAct.value ? null : done ? (
              <p class="dim">{done}</p>
            ) : (
              <p class="row">
                <button type="button" class="primary" onClick={() => act('applied', () => applyProposal(id))}>
                  Apply
                </button>
                <button type="button" onClick={() => act('discarded', () => discardProposal(id))}>
                  Discard
                </button>
              </p>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

function pathsOf({ conflicts }: ResolvedProposal): string {
  return conflicts.map(({ path, reason }) => plain(`${path} (${reason})`)).join(', ');
}
