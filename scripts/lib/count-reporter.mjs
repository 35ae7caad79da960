import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes how many tests passed, failed and were skipped, and the files of the skipped ones, to the file named by TEST_COUNTS. */
export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const file = process.env.TEST_COUNTS;
    if (!file) return;
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, skippedIn: [] };
    for (const module of modules) {
      const own = { passed: 0, failed: 0, skipped: 0 };
      for (const test of module.children.allTests()) own[test.result().state]++;
      if (module.state() === 'failed') own.failed ||= 1;
      for (const [state, count] of Object.entries(own)) counts[state] += count;
      if (own.skipped > 0) counts.skippedIn.push(`${module.relativeModuleId} (${own.skipped})`);
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(counts));
  }
}
