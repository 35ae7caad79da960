// Loaded into a daemon before its program: whoever started it asks how much is alive on its heap, and is told after a full collection.
if (process.send && globalThis.gc) {
  process.on('message', (question) => {
    if (question !== 'heap') return;
    globalThis.gc();
    process.send({ heap: process.memoryUsage().heapUsed });
  });
  process.channel.unref();
}
