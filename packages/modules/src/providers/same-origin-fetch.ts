import { AccessDeniedError } from '@amplifier/core';

const MAX_REDIRECTS = 3;

/**
 * `fetch` for what carries a key and a prompt: a redirect is followed within the origin they were meant for, and refused beyond it.
 */
export const sameOriginFetch: typeof fetch = async (input, init) => {
  const asked = new URL(input instanceof Request ? input.url : String(input));
  let url = asked;
  for (let hop = 0; ; hop++) {
    const response = await fetch(hop === 0 ? input : url, { ...init, redirect: 'manual' });
    const to = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (to === null) return response;
    await response.body?.cancel();
    url = new URL(to, url);
    if (url.origin !== asked.origin) {
      throw new AccessDeniedError(
        `${asked.origin} answered with a redirect to ${url.origin}, which was not followed: what was sent is for ${asked.origin} alone. Correct the configured address if the other address is right.`,
      );
    }
    if (hop === MAX_REDIRECTS)
      throw new AccessDeniedError(
        `${asked.origin} answered with more than ${MAX_REDIRECTS} redirects in a row.`,
      );
  }
};
