export { type CopyLayout, flatCopies, projectCopies } from './copy-layout.js';
export { exportLines, readExport } from './export-lines.js';
export { followLiveText, hearLiveText } from './follow-live-text.js';
export { liveFolder } from './live-folder.js';
export { leaseHolder, type NamedLease, takeLease } from './named-lease.js';
export { openRecord } from './open-record.js';
export { projectSlug } from './project-slug.js';
export { retainSessions } from './retain-sessions.js';
export { tellLiveText } from './serve-live-text.js';
