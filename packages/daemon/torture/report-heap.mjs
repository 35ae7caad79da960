// Loaded into a daemon before its program: whoever started it asks how much is alive on its heap, and is told after a full collection;
// or has its only thread stand still for good.
if (process.send && globalThis.gc) {
  process.on('message', (question) => {
    if (question === 'freeze') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    if (question !== 'heap') return;
    globalThis.gc();
    process.send({ heap: process.memoryUsage().heapUsed });
  });
  process.channel.unref();
  // Whoever started it is gone.
  process.on('disconnect', () => process.exit());
}
