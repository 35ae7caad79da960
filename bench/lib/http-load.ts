import { Agent, request } from 'node:http';

export interface Call {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** What the answer must be; anything else ends the benchmark. */
  status?: number;
}

export interface Load {
  /** Requests per second. */
  rps: number;
  p50_ms: number;
  p99_ms: number;
}

/** Sends requests over kept connections for a while, each connection one after the other. */
export async function load(
  base: string,
  call: Call | (() => Call),
  { connections = 8, ms = 1_000 }: { connections?: number; ms?: number } = {},
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const started = performance.now();
  const lane = async () => {
    while (performance.now() - started < ms) {
      const sent = performance.now();
      await send(base, typeof call === 'function' ? call() : call, agent);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { rps: times.length / seconds, p50_ms: at(0.5), p99_ms: at(0.99) };
}

/** One request over a kept connection. */
export function send(
  base: string,
  { method, path, headers, body, status }: Call,
  agent: Agent,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, base),
      { method, agent, ...(headers ? { headers } : {}) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (status !== undefined && response.statusCode !== status)
            reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`));
          else resolve(text);
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
