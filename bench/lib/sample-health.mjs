// A thread of its own, so that whatever else the measuring process does is not taken for the daemon's delay.
// Asks for /healthz every so often, whether the last question was answered or not, and tells how long each answer took.
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, everyMs } = workerData;
const agent = new Agent({ keepAlive: true });
const took = [];
let failed = 0;
let open = 0;
let last = () => {};

function ask() {
  const began = performance.now();
  open++;
  const over = (isWell) => {
    took.push(performance.now() - began);
    if (!isWell) failed++;
    if (--open === 0) last();
  };
  get(url, { agent }, (response) => {
    response.resume();
    response.on('end', () => over(response.statusCode === 200));
    response.on('error', () => over(false));
  }).on('error', () => over(false));
}

const timer = setInterval(ask, everyMs);
parentPort.postMessage('begun');
parentPort.once('message', async () => {
  clearInterval(timer);
  if (open > 0) await new Promise((resolve) => (last = resolve));
  parentPort.postMessage({ took, failed });
  agent.destroy();
});
