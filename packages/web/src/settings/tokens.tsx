import { useState } from 'preact/hooks';
import { listTokens, makeToken, revokeToken } from '../api/calls.js';
import { now } from '../ui/clock.js';
import { CopyButton } from '../ui/copy-button.js';
import { ago, plain } from '../ui/format.js';
import { Shown, useLoaded } from '../ui/load.js';
import { attempt, say } from '../ui/notices.js';

const KINDS: Record<string, string> = { token: 'Token', browser: 'Browser', share: 'Shared link' };

/** Tokens, browsers that are signed in, and shared links: each can be revoked. */
export function Tokens() {
  const [tokens, again] = useLoaded(listTokens, []);
  const [made, setMade] = useState<string | null>(null);
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const revoke = async (id: string) => {
    setGone(new Set(gone).add(id));
    const done = await attempt(
      () => revokeToken(id).then(() => true),
      () => setGone(new Set([...gone].filter((each) => each !== id))),
    );
    if (done) say('Revoked.');
  };
  const create = async (form: HTMLFormElement) => {
    const asked = Object.fromEntries(new FormData(form)) as { name: string; scope: 'read' | 'run' | 'admin' };
    const answer = await attempt(() => makeToken(asked));
    if (!answer) return;
    setMade(answer.token);
    form.reset();
    again();
  };
  return (
    <section>
      <h2>Tokens, browsers and shared links</h2>
      <Shown of={tokens} rows={3}>
        {(all) => (
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">Kind</th>
                <th scope="col">Name</th>
                <th scope="col">Scope</th>
                <th scope="col" class="narrow">
                  Made
                </th>
                <th scope="col">
                  <span class="sr">Action</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all
                .filter(({ id }) => !gone.has(id))
                .map((token) => (
                  <tr key={token.id}>
                    <td>{KINDS[token.kind]}</td>
                    <td>{plain(token.name ?? token.id)}</td>
                    <td>{token.scope}</td>
                    <td class="dim narrow">{ago(token.created_at, now.value)}</td>
                    <td class="right">
                      <button type="button" class="quiet" onClick={() => revoke(token.id)}>
                        Revoke
                      </button>
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
        )}
      </Shown>
      {made ? (
        <p class="row new-token">
          <span>The new token, shown only once:</span> <code>{made}</code>{' '}
          <CopyButton text={() => made} label="Copy the token" />
        </p>
      ) : null}
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void create(event.currentTarget);
        }}
      >
        <input name="name" aria-label="What the token is for" placeholder="What it is for" required />
        <select name="scope" aria-label="What it may do">
          <option value="read">may look</option>
          <option value="run">may also work with sessions</option>
          <option value="admin">may do everything</option>
        </select>
        <button type="submit">Make a token</button>
      </form>
    </section>
  );
}
