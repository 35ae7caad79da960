import { CancellationToken } from '@amplifier/host';
import type { Cli } from './cli.js';
import { onReaderGone } from './reader-gone.js';

/** Once: stop after the present step. Twice: stop at once. The session stays and can be resumed. */
export function stopOnSignal(cli: Cli): { token: CancellationToken; release(): void } {
  const token = new CancellationToken();
  const interrupt = () => {
    if (token.isCancelled) {
      token.request('immediate');
      return;
    }
    token.request('graceful');
    cli.say('\nStopping after the present step. Press Ctrl-C again to stop at once.');
  };
  const atOnce = () => token.request('immediate');
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
