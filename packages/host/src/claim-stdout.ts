import { Writable } from 'node:stream';

/**
 * Takes standard output for the protocol alone. Whatever else writes there from now on, such as a module that logs to the
 * console, is sent to standard error.
 */
export function claimStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  const claimed = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => {
      write(chunk, encoding, (error) => done(error));
    },
  });
  stdout.on('error', (error) => claimed.destroy(error));
  return claimed;
}
