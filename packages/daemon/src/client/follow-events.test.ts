import { afterEach, expect, it, vi } from 'vitest';
import { createClient, type StreamItem } from './index.js';

const HALF_MINUTE = 30_000;

/** A daemon that sends what it is given, and nothing after it. */
function silentDaemon(...bodies: string[]) {
  const requests: { url: string; after: string | null }[] = [];
  const send = async (url: string, { headers, signal }: RequestInit) => {
    requests.push({ url, after: new Headers(headers).get('last-event-id') });
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(bodies.shift() ?? ''));
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return new Response(body);
  };
  return { requests, client: createClient({ url: 'http://daemon', fetch: send as typeof fetch }) };
}

const event = (id: number) => `id: ${id}\nevent: run:ended\ndata: {"seq":${id}}\n\n`;

afterEach(() => void vi.useRealTimers());

it('connects again after the last event when the daemon is silent for longer than its heartbeat', async () => {
  vi.useFakeTimers();
  const { requests, client } = silentDaemon(event(7), event(8));
  const waits: number[] = [];
  const stop = new AbortController();
  const items = client.followLive({
    root_id: 'r',
    signal: stop.signal,
    wait: async (ms) => void waits.push(ms),
  });
  expect((await items.next()).value).toMatchObject({ kind: 'event', seq: 7, cursor: '7' });
  const lost = items.next();
  await vi.advanceTimersByTimeAsync(HALF_MINUTE);
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(HALF_MINUTE);
  expect((await lost).value).toEqual({ kind: 'disconnected' });
  expect((await items.next()).value).toMatchObject({ kind: 'event', seq: 8 });
  expect(waits).toEqual([1_000]);
  expect(requests.map(({ after }) => after)).toEqual([null, '7']);
  stop.abort();
  expect((await items.next()).done).toBe(true);
});

it('does not take a slow reader for a silent daemon', async () => {
  vi.useFakeTimers();
  const { requests, client } = silentDaemon(event(1) + event(2));
  const stop = new AbortController();
  const items = client.followEvents({ signal: stop.signal });
  await items.next();
  await vi.advanceTimersByTimeAsync(4 * HALF_MINUTE);
  expect((await items.next()).value).toMatchObject({ seq: 2 });
  expect(requests).toHaveLength(1);
  stop.abort();
  await items.next();
});

it('asks for text while it is written unless it is told otherwise', async () => {
  const asked: string[] = [];
  const stop = new AbortController();
  const first = async (items: AsyncGenerator<StreamItem>) => void (await items.next());
  const client = createClient({
    url: 'http://daemon',
    fetch: (async (url: string) => {
      asked.push(url);
      return new Response(event(1));
    }) as typeof fetch,
  });
  await first(client.followLive({ signal: stop.signal }));
  await first(client.followLive({ deltas: false, signal: stop.signal }));
  expect(asked.map((url) => new URL(url).search)).toEqual(['?deltas=true', '']);
});
