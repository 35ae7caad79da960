import { useEffect, useRef, useState } from 'preact/hooks';
import { cancel, continueRun, giveInstruction, steer } from '../api/calls.js';
import { mayAct } from '../api/who.js';
import { stateOf } from '../live/state-of.js';
import { attempt, say } from '../ui/notices.js';
import { ApprovalCard } from './approval-card.js';
import { DelegateForm } from './delegate-form.js';
import type { SessionRoom } from './session-room.js';

/** Where a person takes the wheel: instruct, tell, answer, stop, continue, delegate. */
export function Composer({ room }: { room: SessionRoom }) {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const node = room.node.value;
  const id = room.selected.value;
  const state = node ? stateOf(node) : 'idle';
  const busy = state === 'running' || state === 'waiting';
  const asked = room.approvals.value.filter((each) => isBelow(room, each.session_id, id));

  useEffect(() => {
    setText('');
    room.wantsDelegate.value = false;
  }, [id]);

  if (!mayAct.value) return <p class="composer dim center">You have read-only access.</p>;

  const send = async (): Promise<void> => {
    const words = text.trim();
    if (words === '') return;
    const taken = room.note(words);
    setText('');
    await attempt(
      async () => void (await (busy ? steer(id, words) : giveInstruction(id, words))),
      () => {
        taken();
        setText(words);
      },
    );
  };

  const stop = async (scope: 'session' | 'subtree'): Promise<void> => {
    const kept = room.tree?.nodes.get(id);
    const before = kept ? { ...kept } : null;
    if (kept) {
      Object.assign(kept, { status: 'terminated', outcome_status: 'cancelled', waiting: null });
      room.changed();
    }
    const done = await attempt(
      () => cancel(id, scope),
      () => {
        if (kept && before) Object.assign(kept, before);
        room.changed();
      },
    );
    if (done !== undefined)
      say(scope === 'session' ? 'Asked it to stop.' : 'Asked it and everything below to stop.');
  };

  const resume = async (): Promise<void> => {
    const done = await attempt(() => continueRun(id));
    if (done !== undefined) say('It continues where it was cut off.');
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void send();
  };

  return (
    <div class="composer">
      {asked.map((each) => (
        <ApprovalCard
          key={each.approval_id}
          asking={each}
          isOwn={each.session_id === id}
          onAnswered={() => {
            const before = room.approvals.value;
            room.approvals.value = before.filter(({ approval_id }) => approval_id !== each.approval_id);
            return () => {
              room.approvals.value = before;
            };
          }}
        />
      ))}
      {room.wantsDelegate.value ? (
        <DelegateForm room={room} />
      ) : (
        <form
          class="write"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <textarea
            ref={field}
            id="composer"
            rows={2}
            value={text}
            aria-label={busy ? 'A message to the running session' : 'A new instruction'}
            placeholder={busy ? 'Tell it something while it works' : 'What should it do next?'}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <div class="row end">
            {state === 'interrupted' ? (
              <button type="button" class="primary" onClick={resume}>
                Continue
              </button>
            ) : null}
            {busy ? (
              <>
                <button type="button" onClick={() => stop('session')}>
                  Cancel
                </button>
                {(node?.children.length ?? 0) > 0 ? (
                  <button type="button" onClick={() => stop('subtree')}>
                    Cancel subtree
                  </button>
                ) : null}
              </>
            ) : null}
            <button
              type="button"
              onClick={() => {
                room.wantsDelegate.value = true;
              }}
            >
              Delegate
            </button>
            <button
              type="submit"
              class={state === 'interrupted' ? '' : 'primary'}
              disabled={text.trim() === ''}
            >
              {busy ? 'Send' : 'Run'}
            </button>
          </div>
        </form>
      )}
    </div>
  );
}

/** A question of a child is shown to whoever looks at its parent, too. */
function isBelow(room: SessionRoom, session_id: string, above: string): boolean {
  for (let at: string | null | undefined = session_id; at; at = room.tree?.nodes.get(at)?.parent_id)
    if (at === above) return true;
  return false;
}
