import { createSession, giveInstruction } from '../api/calls.js';
import { demo } from '../palette/entries.js';
import { go, sessionPath } from '../route/route.js';
import { attempt, say } from '../ui/notices.js';

const QUESTION = 'Find out what this folder holds.';

/** As any client of the API would. */
async function askAboutFolder(): Promise<void> {
  say('Starting a session.');
  const made = await attempt(async () => {
    const { session_id } = await createSession({});
    await giveInstruction(session_id, QUESTION);
    return session_id;
  });
  if (made) go(sessionPath(made));
}

/** Nothing was ever done here: three things to try. */
export function EmptyNow() {
  return (
    <main class="page empty">
      <h1>Nothing has run yet</h1>
      <p class="dim">
        Everything that delegates, from any entry point of this home, appears here as it happens.
      </p>
      <ol class="try">
        <li>
          <button type="button" class="primary" onClick={() => void demo()}>
            Run the offline demo
          </button>
          <span>A parent hands work to three agents. No key and no network needed.</span>
        </li>
        <li>
          <button type="button" onClick={() => go('/agents')}>
            Try an agent
          </button>
          <span>A dry run shows what an agent would get, without spending anything.</span>
        </li>
        <li>
          <button type="button" onClick={() => void askAboutFolder()}>
            Ask about this folder
          </button>
          <span>
            A session on your own model, as <code>amplifier run "{QUESTION}"</code> starts it.
          </span>
        </li>
      </ol>
    </main>
  );
}
