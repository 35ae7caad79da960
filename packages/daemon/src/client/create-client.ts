import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../api-types.js';
import {
  type ApiEvent,
  type FollowOptions,
  followEvents,
  followLive,
  type StreamItem,
} from './follow-events.js';

export interface ClientOptions {
  /** Where the daemon listens, such as `http://127.0.0.1:8420`. */
  url: string;
  /** A page that the daemon serves needs none: the cookie of whoever is signed in goes along. */
  token?: string;
  /** Default: the platform's own. */
  fetch?: typeof fetch;
}

/**
 * The API with the types of its description: `client.POST('/api/v1/sessions', { body })` answers `{ data, error, response }`
 * and never throws for a refusal. It needs nothing but `fetch`, so it works in a browser as well.
 */
export interface DaemonClient extends Client<paths> {
  /** What happens, for as long as it is asked for: connects again by itself, without gap or repeat. */
  followEvents(options?: FollowOptions): AsyncGenerator<ApiEvent>;
  /** The same, with text while it is written; `LiveMessages` folds it. */
  followLive(options?: FollowOptions): AsyncGenerator<StreamItem>;
}

export function createClient({ url, token, fetch: send = fetch }: ClientOptions): DaemonClient {
  const headers: Record<string, string> =
    token === undefined ? { 'x-amplifier-csrf': '1' } : { authorization: `Bearer ${token}` };
  const client = createFetchClient<paths>({
    baseUrl: url,
    headers,
    fetch: (request: Request) => send(request),
  });
  return Object.assign(client, {
    followEvents: (options: FollowOptions = {}) => followEvents({ url, headers, fetch: send }, options),
    followLive: (options: FollowOptions = {}) => followLive({ url, headers, fetch: send }, options),
  });
}
