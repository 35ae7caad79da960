// The record with the files beside it, and its tooling: readable copies, live text, leases, export, retention, verification.
export { adoptFolders } from './copies/adopt-folders.js';
export { rebuildRecord } from './copies/bring-back.js';
export { type CopyLayout, flatCopies, projectCopies } from './copies/copy-layout.js';
export { projectSlug } from './copies/project-slug.js';
export { planParts, publicPlanForm } from './copies/public-plan-form.js';
export { followLiveText, hearLiveText } from './live/follow-live-text.js';
export { liveFolder } from './live/live-folder.js';
export { tellLiveText } from './live/serve-live-text.js';
export { copyRecord } from './maintenance/copy-record.js';
export { exportLines, readExport } from './maintenance/export-lines.js';
export { retainSessions } from './maintenance/retain-sessions.js';
export { verifyRecord } from './maintenance/verify-record.js';
export { adoptAll, openRecord } from './open-record-with-files.js';
export { leaseHolder, type NamedLease, takeLease } from './sql/named-lease.js';
