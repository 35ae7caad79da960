import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type Call, send } from './http-load.js';

export interface FanOut {
  /** Frames that arrived, over all followers, per second. */
  per_second: number;
  /** Processor time of the server for one frame to one follower. */
  cpu_us: number;
}

export interface FanOutPlan {
  url: string;
  /** Where it is followed; default: at the same place. */
  followed?: readonly string[];
  /** The stream to follow. */
  stream: Call;
  /** What makes one event. */
  emit: (at: number) => Call;
  followers: number;
  events: number;
  processorMs: () => Promise<number>;
}

const MARK = '\nevent: session:updated';
const LANES = 16;

/** Lets many follow one stream over connections of their own, makes events, and waits until everybody has all of them. */
export async function measureFanOut(plan: FanOutPlan): Promise<FanOut> {
  const { url, followed = [url], followers, events, processorMs } = plan;
  const sockets: Socket[] = [];
  let connected = 0;
  let left = followers * events;
  let onConnected: () => void = () => undefined;
  let onFinished: () => void = () => undefined;
  const allConnected = new Promise<void>((resolve) => {
    onConnected = resolve;
  });
  const finished = new Promise<void>((resolve) => {
    onFinished = resolve;
  });
  for (let at = 0; at < followers; at++) {
    const follower = follow(followed[at % followed.length] as string, plan.stream, {
      onHead: () => ++connected === followers && onConnected(),
      onFrames: (count) => {
        left -= count;
        if (left === 0) onFinished();
      },
    });
    sockets.push(follower);
  }
  await allConnected;
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  const before = await processorMs();
  const started = performance.now();
  const calls = Array.from({ length: events }, (_, at) => plan.emit(at)).values();
  const lane = async () => {
    for (const call of calls) await send(url, call, agent);
  };
  await Promise.all([finished, ...Array.from({ length: LANES }, lane)]);
  const seconds = (performance.now() - started) / 1_000;
  const spent = (await processorMs()) - before;
  for (const socket of sockets) socket.destroy();
  agent.destroy();
  return { per_second: (followers * events) / seconds, cpu_us: (spent * 1_000) / (followers * events) };
}

/** Counts frames in the text as it comes: anything more would measure the client. */
function follow(
  url: string,
  { path, headers = {} }: Call,
  { onHead, onFrames }: { onHead: () => void; onFrames: (count: number) => void },
): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.setEncoding('latin1');
  let rest = '';
  let isOpen = false;
  socket.on('data', (text: string) => {
    if (!isOpen) {
      isOpen = true;
      onHead();
    }
    const all = rest + text;
    let count = 0;
    let at = 0;
    for (let found = all.indexOf(MARK); found >= 0; found = all.indexOf(MARK, at)) {
      count++;
      at = found + MARK.length;
    }
    rest = all.slice(Math.max(at, all.length - MARK.length + 1));
    if (count > 0) onFrames(count);
  });
  socket.on('error', (error) => socket.emit('end', error));
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\n${lines.join('')}\r\n`);
  return socket;
}
