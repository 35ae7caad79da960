// The floor of a fan-out: an HTTP server that writes each frame it is sent to everybody who listens, and does nothing else.

import { createServer } from 'node:http';

const listeners = new Set();

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    listeners.add(response);
    response.on('close', () => listeners.delete(response));
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const frame = Buffer.concat(chunks);
    for (const listener of listeners) listener.write(frame);
    response.writeHead(200).end('{}');
  });
});

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
