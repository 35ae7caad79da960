import { TOKEN_CHECK_MS } from '../defaults.js';

/** The answer, which breaks off when the token it was asked with does not count any more. */
export function untilRevoked(response: Response, isAllowed: () => Promise<boolean>): Response {
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
      const check = async () => {
        if (await isAllowed()) return;
        void over();
        controller.close();
      };
      // What cannot be looked up now is looked up again.
      timer = setInterval(() => void check().catch(() => {}), TOKEN_CHECK_MS).unref();
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done && (await isAllowed())) return controller.enqueue(value);
      if (done) clearInterval(timer);
      else void over();
      controller.close();
    },
    cancel: over,
  });
  return new Response(body, response);
}
