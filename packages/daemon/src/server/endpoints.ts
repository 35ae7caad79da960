import { agUiEndpoints } from '../ag-ui/ag-ui-endpoints.js';
import { approvalEndpoints } from '../approvals/approval-endpoints.js';
import { shareEndpoints } from '../browser/share-endpoints.js';
import { signInEndpoints } from '../browser/sign-in-endpoints.js';
import { tokenEndpoints } from '../browser/token-endpoints.js';
import { collectionEndpoints } from '../collections/collection-endpoints.js';
import { eventEndpoints } from '../events/event-endpoints.js';
import type { Endpoint } from '../http/endpoint.js';
import { planEndpoints } from '../plans/plan-endpoints.js';
import { profileEndpoints } from '../profiles/profile-endpoints.js';
import { agentRoomEndpoints } from '../rooms/agent-endpoints.js';
import { demoEndpoints } from '../rooms/demo-endpoints.js';
import { settingsEndpoints } from '../rooms/settings-endpoints.js';
import { spendEndpoints } from '../rooms/spend-endpoints.js';
import { agentEndpoints } from '../runs/agent-endpoints.js';
import { runEndpoints } from '../runs/run-endpoints.js';
import type { Services } from '../services.js';
import { historyEndpoints } from '../sessions/history-endpoints.js';
import { lifecycleEndpoints } from '../sessions/lifecycle-endpoints.js';
import { proposalEndpoints } from '../sessions/proposal-endpoints.js';
import { removalEndpoints } from '../sessions/removal-endpoints.js';
import { sessionEndpoints } from '../sessions/session-endpoints.js';
import { transcriptEndpoints } from '../sessions/transcript-endpoints.js';
import { auditEndpoints } from '../tenants/audit-endpoints.js';
import { inboxEndpoints } from '../trees/inbox-endpoints.js';
import { launchEndpoints } from '../trees/launch-endpoints.js';
import { steeringEndpoints } from '../trees/steering-endpoints.js';
import { timelineEndpoints } from '../trees/timeline-endpoints.js';
import { treeEndpoints } from '../trees/tree-endpoints.js';
import { webhookEndpoints } from '../webhooks/webhook-endpoints.js';
import { systemEndpoints } from './system-endpoints.js';

/** The whole API, in the order in which addresses are tried. */
export function allEndpoints(services: Services): Endpoint[] {
  return systemEndpoints(services, [
    ...collectionEndpoints(services),
    ...profileEndpoints(services),
    ...planEndpoints(services),
    ...removalEndpoints(services),
    ...sessionEndpoints(services),
    ...lifecycleEndpoints(services),
    ...transcriptEndpoints(services),
    ...historyEndpoints(services),
    ...eventEndpoints(services),
    ...webhookEndpoints(services),
    ...runEndpoints(services),
    ...agentEndpoints(services),
    ...approvalEndpoints(services),
    ...proposalEndpoints(services),
    ...treeEndpoints(services),
    ...inboxEndpoints(services),
    ...steeringEndpoints(services),
    ...launchEndpoints(services),
    ...timelineEndpoints(services),
    ...spendEndpoints(services),
    ...agentRoomEndpoints(services),
    ...settingsEndpoints(services),
    ...demoEndpoints(services),
    ...agUiEndpoints(services),
    ...signInEndpoints(services),
    ...shareEndpoints(services),
    ...tokenEndpoints(services),
    ...auditEndpoints(services),
  ]);
}
