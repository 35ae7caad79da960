// Needed for Node 20 only.

/** Errors of imports that Node may raise a second time. */
const raisedTwice = new Set<unknown>();
let isCapturing = false;

/**
 * Imports a file. On Node 20, an error that a CommonJS file throws while an ES module imports it is raised again as an uncaught exception,
 * which ends the process although the import was caught. It is ignored the second time.
 */
export async function importFile(url: string): Promise<unknown> {
  try {
    return await import(url);
  } catch (error) {
    raisedTwice.add(error);
    if (!process.hasUncaughtExceptionCaptureCallback()) {
      process.setUncaughtExceptionCaptureCallback(ignoreSecond);
      isCapturing = true;
    }
    for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
    raisedTwice.delete(error);
    // Another import may have failed in between.
    if (isCapturing && raisedTwice.size === 0) {
      process.setUncaughtExceptionCaptureCallback(null);
      isCapturing = false;
    }
    throw error;
  }
}

function ignoreSecond(error: Error): void {
  if (raisedTwice.has(error)) return;
  const listeners = process.listeners('uncaughtException');
  if (listeners.length === 0) throw error;
  for (const listen of listeners) listen(error, 'uncaughtException');
}
