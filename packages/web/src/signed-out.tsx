import { signal } from '@preact/signals';

export const signedOut = signal(false);

/** The cookie is gone, has run out, or its token was revoked: nothing of before stays on the screen. */
export function SignedOut() {
  return (
    <main class="page signed-out">
      <h1>Signed out</h1>
      <p>This browser is not signed in to the daemon.</p>
      <p>
        Run <code>amplifier web</code> in a terminal: it opens a link that signs you in.
      </p>
    </main>
  );
}
