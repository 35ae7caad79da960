import { CancellationToken, superviseProcess } from '@amplifier/host';
import type { Cli } from './cli.js';
import { onReaderGone } from './reader-gone.js';

/** Once: stop after the present step. Twice: stop at once. The session stays and can be resumed. */
export function stopOnSignal(cli: Cli): { token: CancellationToken; release(): void } {
  const token = new CancellationToken();
  const supervisor = superviseProcess();
  const atOnce = () => {
    supervisor.stopping();
    token.request('immediate');
  };
  const interrupt = () => {
    if (token.isCancelled) return atOnce();
    token.request('graceful');
    cli.say('\nStopping after the current step. Press Ctrl-C again to stop immediately.');
  };
  cli.onMissing(atOnce);
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', atOnce);
  process.on('SIGHUP', atOnce);
  const stopListening = onReaderGone(atOnce);
  return {
    token,
    release() {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', atOnce);
      process.off('SIGHUP', atOnce);
      stopListening();
    },
  };
}

/** Aborts when the process shall end, which then has so long for it. */
export function endOnSignal(): AbortSignal {
  const stop = new AbortController();
  const supervisor = superviseProcess();
  const end = () => {
    supervisor.stopping();
    stop.abort();
  };
  let signals = 0;
  // Not `once`: libraries that find no other listener while they handle a signal end the process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (signals++ > 0) process.exit(1);
      end();
    });
  onReaderGone(end);
  return stop.signal;
}
