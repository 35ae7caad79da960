import { request } from 'node:http';

/**
 * Opens a link as a browser does that finds its name at this address and was given the link directly. Redirects are not followed.
 */
export function openLink(
  address: string,
  link: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'POST' = 'GET',
): Promise<Response> {
  const { pathname, search, host } = new URL(link);
  return new Promise((resolve, reject) => {
    const sent = { host, 'sec-fetch-site': 'none', ...headers };
    const asked = request(address + pathname + search, { method, headers: sent }, async (answer) => {
      const told = new Headers();
      for (const [name, value] of Object.entries(answer.headers)) told.set(name, String(value));
      let text = '';
      for await (const more of answer.setEncoding('utf8')) text += more;
      resolve(new Response(text, { status: answer.statusCode ?? 0, headers: told }));
    });
    asked.once('error', reject).end();
  });
}
