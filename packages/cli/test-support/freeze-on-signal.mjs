// Loaded into the program before it starts: at this signal its only thread stands still for good, as when a model has found a way.
import { writeSync } from 'node:fs';

process.on('SIGUSR2', () => {
  writeSync(2, 'Frozen.\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
