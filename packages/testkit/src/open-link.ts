import { get } from 'node:http';

/** Opens a link as a browser does that finds its name at this address. Redirects are not followed. */
export function openLink(
  address: string,
  link: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { pathname, search, host } = new URL(link);
  return new Promise((resolve, reject) => {
    get(address + pathname + search, { headers: { host, ...headers } }, async (answer) => {
      const told = new Headers();
      for (const [name, value] of Object.entries(answer.headers)) told.set(name, String(value));
      let text = '';
      for await (const more of answer.setEncoding('utf8')) text += more;
      resolve(new Response(text, { status: answer.statusCode ?? 0, headers: told }));
    }).once('error', reject);
  });
}
