import { useState } from 'preact/hooks';
import { delegate, delegateDryRun } from '../api/calls.js';
import { get } from '../api/http.js';
import type { Json } from '../api/types.js';
import { plain } from '../ui/format.js';
import { useLoaded } from '../ui/load.js';
import { attempt, say } from '../ui/notices.js';
import { LaunchFacts } from './launch-facts.js';
import type { SessionRoom } from './session-room.js';
import { wantsDelegate } from './wants.js';

interface Known {
  name: string;
  description: string | null;
  installed?: boolean;
}

/** Hands a task to another agent, with the options of the tool. A dry run shows the launch record first. */
export function DelegateForm({ room }: { room: SessionRoom }) {
  const id = room.selected.value;
  const [agents] = useLoaded(
    () => get<Known[]>(`/sessions/${encodeURIComponent(id)}/agents?limit=200`),
    [id],
  );
  const [preview, setPreview] = useState<Json | null>(null);
  const close = () => {
    wantsDelegate.value = false;
  };
  const request = (form: HTMLFormElement): Json =>
    Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== '')) as Json;
  const tryIt = async (form: HTMLFormElement) => {
    const answer = await attempt(() => delegateDryRun(id, request(form)));
    if (answer) setPreview(answer);
  };
  const run = async (form: HTMLFormElement) => {
    const asked = request(form);
    close();
    const made = await attempt(
      () => delegate(id, asked),
      () => {
        wantsDelegate.value = true;
      },
    );
    if (made) say(`Handed to ${asked.agent}.`);
  };
  const installed = (agents.value ?? []).filter((each) => each.installed !== false);
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
          </select>
        </label>
        <label>
          Model role <input name="model_role" placeholder="as the agent says" size={14} />
        </label>
      </div>
      <textarea name="instruction" rows={2} required aria-label="The task" placeholder="What should it do?" />
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
        <button type="submit" class="primary">
          Delegate
        </button>
      </div>
    </form>
  );
}
