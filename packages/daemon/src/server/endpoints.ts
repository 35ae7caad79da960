import { approvalEndpoints } from '../approvals/approval-endpoints.js';
import { collectionEndpoints } from '../collections/collection-endpoints.js';
import { eventEndpoints } from '../events/event-endpoints.js';
import type { Endpoint } from '../http/endpoint.js';
import { planEndpoints } from '../plans/plan-endpoints.js';
import { profileEndpoints } from '../profiles/profile-endpoints.js';
import { agentEndpoints } from '../runs/agent-endpoints.js';
import { runEndpoints } from '../runs/run-endpoints.js';
import type { Services } from '../services.js';
import { historyEndpoints } from '../sessions/history-endpoints.js';
import { lifecycleEndpoints } from '../sessions/lifecycle-endpoints.js';
import { removalEndpoints } from '../sessions/removal-endpoints.js';
import { sessionEndpoints } from '../sessions/session-endpoints.js';
import { transcriptEndpoints } from '../sessions/transcript-endpoints.js';
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
  ]);
}
