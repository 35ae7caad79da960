// As `@vitest/coverage-v8`, but for when it looks. In a process that files share, what they ran adds up until it is taken, and to take
// it means to walk every function of the process: after each file that cost more than many a file does.
import v8 from '@vitest/coverage-v8';

const FILES_AT_ONCE = 10;
let shared = false;
let files = 0;

export default {
  ...v8,
  startCoverage(options) {
    shared = options.isolate === false;
    return v8.startCoverage(options);
  },
  async takeCoverage(options) {
    files++;
    // Of the last few files in a process nothing is taken. They are short ones, and what they run others have run.
    return shared && files % FILES_AT_ONCE > 0 ? undefined : v8.takeCoverage(options);
  },
};
