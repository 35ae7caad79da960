import { useState } from 'preact/hooks';
import { agentsOf, delegate, delegateDryRun } from '../api/calls.js';
import type { Launch } from '../api/types.js';
import { plain } from '../ui/format.js';
import { useLoaded } from '../ui/load.js';
import { attempt, say } from '../ui/notices.js';
import { DelegateOptions } from './delegate-options.js';
import { AGAIN, delegateRequest } from './delegate-request.js';
import { LaunchFacts } from './launch-facts.js';
import type { SessionRoom } from './session-room.js';

/** Children that can be handed another task from here; the others are a click away in the tree. */
const MOST_CHILDREN = 30;

/** Hands a task to another agent, with the options of the tool. A dry run shows the launch record first. */
export function DelegateForm({ room }: { room: SessionRoom }) {
  const id = room.selected.value;
  const [agents] = useLoaded(() => agentsOf(id), [id]);
  const [preview, setPreview] = useState<Launch | null>(null);
  const [sending, setSending] = useState(false);
  const close = () => {
    room.wantsDelegate.value = false;
  };
  const tryIt = async (form: HTMLFormElement) => {
    const answer = await attempt(async () => delegateDryRun(id, await delegateRequest(new FormData(form))));
    if (answer) setPreview(answer);
  };
  // The form stays until the task is taken: nobody writes it twice.
  const run = async (form: HTMLFormElement) => {
    setSending(true);
    const made = await attempt(async () => {
      const asked = await delegateRequest(new FormData(form));
      await delegate(id, asked);
      return asked;
    });
    setSending(false);
    if (!made) return;
    close();
    say(`Handed to ${made.agent ?? 'it'}.`);
  };
  const children = room.tree?.nodes.get(id)?.children ?? [];
  const installed = (agents.value ?? []).filter((each) => each.installed);
  return (
    <form
      class="delegate"
      onSubmit={(event) => {
        event.preventDefault();
        void run(event.currentTarget);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <div class="row wrap">
        <label>
          Agent{' '}
          <select name="agent" required>
            {installed.map(({ name }) => (
              <option key={name} value={name}>
                {plain(name)}
              </option>
            ))}
            {children.length > 0 ? (
              <optgroup label="Again, where it left off">
                {children.slice(-MOST_CHILDREN).map(({ session_id, agent, title }, at) => (
                  <option key={session_id} value={AGAIN + session_id}>
                    {plain(agent ?? title ?? 'child')}, {at + 1}
                  </option>
                ))}
              </optgroup>
            ) : null}
          </select>
        </label>
        <label>
          Context{' '}
          <select name="context_depth">
            <option value="none">nothing of this conversation</option>
            <option value="recent" selected>
              the last turns
            </option>
            <option value="all">all of it</option>
            <option value="summary">a summary of it</option>
          </select>
        </label>
      </div>
      <textarea name="instruction" rows={2} required aria-label="The task" placeholder="What should it do?" />
      <DelegateOptions />
      {preview ? (
        <div class="preview">
          <LaunchFacts launch={preview} />
        </div>
      ) : null}
      <div class="row end">
        <button type="button" onClick={close}>
          Close
        </button>
        <button
          type="button"
          onClick={(event) => {
            const { form } = event.currentTarget;
            if (form?.reportValidity()) void tryIt(form);
          }}
        >
          Dry run
        </button>
        <button type="submit" class="primary" disabled={sending}>
          Delegate
        </button>
      </div>
    </form>
  );
}
