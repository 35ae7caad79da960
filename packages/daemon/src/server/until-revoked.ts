import { TOKEN_CHECK_MS } from '../defaults.js';

/** The answer, which breaks off when the token it was asked with does not count any more. */
export function untilRevoked(response: Response, isAllowed: () => boolean): Response {
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
    return response;
  const reader = response.body.getReader();
  let timer: NodeJS.Timeout;
  const over = () => {
    clearInterval(timer);
    return reader.cancel('the token was revoked');
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if (isAllowed()) return;
        void over();
        controller.close();
      }, TOKEN_CHECK_MS).unref();
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done && isAllowed()) return controller.enqueue(value);
      if (done) clearInterval(timer);
      else void over();
      controller.close();
    },
    cancel: over,
  });
  return new Response(body, response);
}
