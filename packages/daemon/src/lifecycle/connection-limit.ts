import { RESERVED_FILES } from '../defaults.js';

/** How many connections may be open, so that files can still be opened. No limit where the system has none. */
export function connectionLimit(files = openFileLimit()): number {
  return files - Math.min(Math.floor(files / 2), RESERVED_FILES);
}

function openFileLimit(): number {
  // Otherwise the report looks up the host names of open connections. The types do not have it yet.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } };
  const limit = userLimits?.open_files?.soft;
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
}
