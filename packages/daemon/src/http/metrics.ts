import type { Backlog } from '@amplifier/sessions';
import type { EventStreams } from '../events/event-streams.js';
import type { Webhooks } from '../webhooks/webhooks.js';

type Figure = () => number | Promise<number>;

/** What the daemon counts about itself, in the text form of Prometheus. It has no names of sessions and nothing said in them. */
export interface Metrics {
  /** One answered request. `route` is the address with its placeholders, so that ids make no series of their own. */
  answered(method: string, route: string, status: number, seconds: number): void;
  /** A figure that is read when somebody asks. */
  gauge(name: string, help: string, read: Figure): void;
  /** Several of one name, told apart by a label. */
  gauges(name: string, help: string, label: string, read: () => Promise<[string, number][]>): void;
  /** The same for one that only rises. */
  counter(name: string, help: string, read: Figure): void;
  readonly content_type: string;
  render(): Promise<string>;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export async function openMetrics(): Promise<Metrics> {
  const { Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'amplifierd_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'amplifierd_http_request_duration_seconds',
    help: 'Time from the headers of a request to those of its response.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers,
  });
  const metrics: Metrics = {
    answered(method, route, status, seconds) {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, seconds);
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
    gauges(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        async collect() {
          const figures = await read();
          this.reset();
          for (const [value, figure] of figures) this.set({ [label]: value }, figure);
        },
      });
    },
    counter(name, help, read) {
      new Counter({
        name,
        help,
        registers,
        async collect() {
          const count = await read();
          this.reset();
          this.inc(count);
        },
      });
    },
    content_type: registry.contentType,
    render: () => registry.metrics(),
  };
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  metrics.gauge('process_uptime_seconds', 'Since the process started.', () => process.uptime());
  metrics.counter('process_cpu_seconds_total', 'Processor time spent.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  return metrics;
}

/** What streams, webhooks and runs come to; the runs are those of all daemons of the record, by the place they are executed in. */
export function countWork(
  metrics: Metrics,
  { events, webhooks, backlog }: { events: EventStreams; webhooks: Webhooks; backlog(): Promise<Backlog[]> },
): void {
  const { gauge, counter, gauges } = metrics;
  const runs = (of: (each: Backlog) => number) => async () =>
    (await backlog()).map((each): [string, number] => [each.place ?? '', of(each)]);
  const streams = () => events.figures;
  gauge('amplifierd_event_followers', 'Open streams of events.', () => streams().followers);
  counter('amplifierd_events_offered_total', 'Events offered to followers.', () => streams().offered);
  counter('amplifierd_event_gaps_total', 'Times a follower was too slow.', () => streams().gaps);
  gauge('amplifierd_webhook_pending', 'Deliveries that wait to be sent.', () => webhooks.pending());
  counter(
    'amplifierd_webhook_delivered_total',
    'Deliveries that were accepted.',
    () => webhooks.counts.delivered,
  );
  counter('amplifierd_webhook_failed_total', 'Deliveries that were given up.', () => webhooks.counts.failed);
  gauges(
    'amplifierd_runs_waiting',
    'Runs in line.',
    'place',
    runs(({ waiting }) => waiting),
  );
  gauges(
    'amplifierd_runs_active',
    'Runs at work.',
    'place',
    runs(({ running }) => running),
  );
}
