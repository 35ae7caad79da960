import { Agent, request } from 'node:http';
import { percentile } from './measure.js';

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
  /** Until the answer begins, the median: what a server takes before it hands bytes to the network. */
  first_ms: number;
}

/** Sends so many requests that the server has compiled what it needs for them: before that, it is the compiler that is measured. */
export async function warmUp(base: string, call: Call, requests: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const lane = async () => {
    for (let at = 0; at < requests / 8; at++) await send(base, call, agent);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  agent.destroy();
}

/** Sends requests over kept connections for a while, each connection one after the other. */
export async function load(
  base: string,
  call: Call | (() => Call),
  { connections = 8, ms = 1_000 }: { connections?: number; ms?: number } = {},
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const firsts: number[] = [];
  const started = performance.now();
  const lane = async () => {
    while (performance.now() - started < ms) {
      const sent = performance.now();
      await sendForBytes(base, typeof call === 'function' ? call() : call, agent, () =>
        firsts.push(performance.now() - sent),
      );
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  return {
    rps: times.length / seconds,
    p50_ms: percentile(times, 0.5),
    p99_ms: percentile(times, 0.99),
    first_ms: percentile(firsts, 0.5),
  };
}

/** One request over a kept connection. */
export async function send(base: string, call: Call, agent: Agent): Promise<string> {
  return (await sendForBytes(base, call, agent)).toString();
}

/** The same without making text of the answer, which for some bytes takes longer than getting them. */
export function sendForBytes(
  base: string,
  { method, path, headers, body, status }: Call,
  agent: Agent,
  onAnswer: () => void = () => {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, base),
      { method, agent, ...(headers ? { headers } : {}) },
      (response) => {
        onAnswer();
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          if (status !== undefined && response.statusCode !== status)
            reject(new Error(`${method} ${path}: ${response.statusCode} ${bytes.toString('utf8', 0, 300)}`));
          else resolve(bytes);
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
