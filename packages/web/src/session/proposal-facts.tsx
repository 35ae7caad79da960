import { useState } from 'preact/hooks';
import { applyProposal, discardProposal, readProposal } from '../api/calls.js';
import type { Json } from '../api/types.js';
import { mayAct } from '../api/who.js';
import { plain } from '../ui/format.js';
import { Shown, useLoaded } from '../ui/load.js';
import { attempt, say } from '../ui/notices.js';
import { Patch } from './diff.js';

/** What a child that works in isolation would change: apply it or throw it away. */
export function ProposalFacts({ id }: { id: string }) {
  const [proposal] = useLoaded(() => readProposal(id), [id]);
  const [done, setDone] = useState<string | null>(null);
  const act = async (word: string, doIt: () => Promise<Json | null>) => {
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
            <Patch text={String(value.diff ?? value.patch ?? '')} />
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

function pathsOf({ conflicts }: Json): string {
  const all = (Array.isArray(conflicts) ? conflicts : []) as { path: string; reason: string }[];
  return all.map(({ path, reason }) => plain(`${path} (${reason})`)).join(', ');
}
