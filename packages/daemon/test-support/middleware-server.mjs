// A server of the bench `http`: one small route behind the middleware that the first word names.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import { csrf } from 'hono/csrf';
import { etag } from 'hono/etag';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';

const app = new Hono();
const origin = ['https://app.example.org'];
const crossOrigin = cors({ origin, exposeHeaders: ['Location', 'Link', 'ETag'], maxAge: 600 });
const counted = bodyLimit({ maxSize: 1_000_000 });
const token = bearerAuth({ verifyToken: async (given) => given === 'secret' });

const MIDDLEWARE = {
  'no middleware': [],
  requestId: [requestId()],
  bearerAuth: [token],
  csrf: [csrf({ origin })],
  methodNotAllowed: [methodNotAllowed({ app })],
  cors: [crossOrigin],
  'cors for requests with an origin': [
    (context, next) => (context.env.incoming.headers.origin ? crossOrigin(context, next) : next()),
  ],
  bodyLimit: [counted],
  'bodyLimit without a content length': [
    (context, next) => (context.env.incoming.headers['transfer-encoding'] ? counted(context, next) : next()),
  ],
  etag: [etag()],
  compress: [compress()],
  secureHeaders: [secureHeaders()],
};

for (const middleware of MIDDLEWARE[process.argv[2] ?? ''] ?? []) app.use(middleware);
const headers = { 'content-type': 'application/json' };
const answer = { session_id: 'session_01KA1B2C3D4E5F6G7H8J9K0M1N', status: 'active', message_count: 12 };
app.get('/small', () => new Response(JSON.stringify(answer), { headers }));
app.post('/small', async ({ req }) => new Response(await req.text(), { headers }));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
