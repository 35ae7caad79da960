export type { components, operations, paths } from '../../api-types.js';
export { type ClientOptions, createClient, type DaemonClient } from './create-client.js';
export {
  type ApiEvent,
  type FollowOptions,
  FollowRefused,
  type StreamItem,
  type StreamSignal,
} from './follow-events.js';
export { type LiveMessage, LiveMessages } from './live-messages.js';
