import { useState } from 'preact/hooks';
import { dryRun } from '../api/calls.js';
import type { Launch } from '../api/types.js';
import { LaunchFacts } from '../session/launch-facts.js';
import { Expandable } from '../ui/expandable.js';
import { LongText } from '../ui/long-text.js';
import { attempt } from '../ui/notices.js';

/** What an agent would be given, before anything is spent. */
export function TryAgent({ agent }: { agent: string }) {
  const [text, setText] = useState('');
  const [launch, setLaunch] = useState<Launch | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    const answer = await attempt(() => dryRun({ agent, instruction: text.trim() }));
    setBusy(false);
    if (answer) setLaunch(answer);
  };
  return (
    <div class="try-agent">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <input
          type="text"
          aria-label={`A task to try ${agent} with`}
          placeholder="A task to try it with; nothing is run"
          value={text}
          required
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={busy}>
          Dry run
        </button>
      </form>
      {launch ? (
        <div class="preview" aria-live="polite">
          <LaunchFacts launch={launch} />
          <Expandable head="Launch record">
            {() => <LongText mono text={JSON.stringify(launch.record, null, 2)} />}
          </Expandable>
        </div>
      ) : null}
    </div>
  );
}
