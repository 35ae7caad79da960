import type { Endpoint } from '../http/endpoint.js';
import { agentRoomEndpoints } from './agent-endpoints.js';
import { auditEndpoints } from './audit-endpoints.js';
import { collectionEndpoints } from './collection-endpoints.js';
import { demoEndpoints } from './demo-endpoints.js';
import { inboxEndpoints } from './inbox-endpoints.js';
import { planEndpoints } from './plan-endpoints.js';
import { profileEndpoints } from './profile-endpoints.js';
import { proposalEndpoints } from './proposal-endpoints.js';
import { agUiEndpoints } from './sessions/ag-ui-endpoints.js';
import { agentEndpoints } from './sessions/agent-endpoints.js';
import { approvalEndpoints } from './sessions/approval-endpoints.js';
import { eventEndpoints } from './sessions/event-endpoints.js';
import { historyEndpoints } from './sessions/history-endpoints.js';
import { launchEndpoints } from './sessions/launch-endpoints.js';
import { lifecycleEndpoints } from './sessions/lifecycle-endpoints.js';
import { removalEndpoints } from './sessions/removal-endpoints.js';
import { runEndpoints } from './sessions/run-endpoints.js';
import { sessionEndpoints } from './sessions/session-endpoints.js';
import { steeringEndpoints } from './sessions/steering-endpoints.js';
import { timelineEndpoints } from './sessions/timeline-endpoints.js';
import { transcriptEndpoints } from './sessions/transcript-endpoints.js';
import { treeEndpoints } from './sessions/tree-endpoints.js';
import { settingsEndpoints } from './settings-endpoints.js';
import { shareEndpoints } from './share-endpoints.js';
import { signInEndpoints } from './sign-in-endpoints.js';
import { spendEndpoints } from './spend-endpoints.js';
import { systemEndpoints } from './system-endpoints.js';
import { tokenEndpoints } from './token-endpoints.js';
import { webhookEndpoints } from './webhook-endpoints.js';

/** The whole API, in the order in which addresses are tried. Declared once for all tenants. */
export function allEndpoints(): Endpoint[] {
  return systemEndpoints([
    ...collectionEndpoints(),
    ...profileEndpoints(),
    ...planEndpoints(),
    ...removalEndpoints(),
    ...sessionEndpoints(),
    ...lifecycleEndpoints(),
    ...transcriptEndpoints(),
    ...historyEndpoints(),
    ...eventEndpoints(),
    ...webhookEndpoints(),
    ...runEndpoints(),
    ...agentEndpoints(),
    ...approvalEndpoints(),
    ...proposalEndpoints(),
    ...treeEndpoints(),
    ...inboxEndpoints(),
    ...steeringEndpoints(),
    ...launchEndpoints(),
    ...timelineEndpoints(),
    ...spendEndpoints(),
    ...agentRoomEndpoints(),
    ...settingsEndpoints(),
    ...demoEndpoints(),
    ...agUiEndpoints(),
    ...signInEndpoints(),
    ...shareEndpoints(),
    ...tokenEndpoints(),
    ...auditEndpoints(),
  ]);
}
