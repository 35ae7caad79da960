// Loaded into a daemon before its program: whoever started it asks how much is alive on its heap, and is told after a full collection; or
// how long its event loop was held up since it was asked that before; or has its only thread stand still for good.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 2;

if (process.send && globalThis.gc) {
  let delays = null;
  const answers = {
    freeze: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
    heap() {
      globalThis.gc();
      process.send({ heap: process.memoryUsage().heapUsed });
    },
    delay() {
      const ms = (share) => Math.max(0, (delays?.percentile(share) ?? 0) / 1e6 - RESOLUTION_MS);
      process.send({ p50: ms(50), p99: ms(99), max: ms(100) });
      delays ??= monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      delays.reset();
      delays.enable();
    },
  };
  process.on('message', (question) => answers[question]?.());
  process.channel.unref();
  // Whoever started it is gone.
  process.on('disconnect', () => process.exit());
}
