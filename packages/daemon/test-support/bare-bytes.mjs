// The floor for large answers: Node's own server, one buffer, nothing else. `/<size>` is answered with so many bytes.
import { createServer } from 'node:http';

const buffers = new Map();

createServer((request, response) => {
  const size = Number(request.url.slice(1));
  const bytes = buffers.get(size) ?? Buffer.alloc(size, 'x');
  buffers.set(size, bytes);
  request.resume();
  response.writeHead(200, { 'content-length': size }).end(bytes);
}).listen(0, '127.0.0.1', function () {
  console.log(`http://127.0.0.1:${this.address().port}`);
});
