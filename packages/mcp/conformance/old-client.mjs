// The official client of the first generation, which holds every structured answer against the form of the tool's results
// once it has listed the tools. Prints what it got for a call that succeeds and for calls that are refused, as JSON.
// Usage: old-client.mjs <folder with the SDK> <command> [argument...]
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, command, ...args] = process.argv.slice(2);
const require = createRequire(join(folder, 'package.json'));
const load = (path) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`)).href);
const { Client } = await load('client/index.js');
const { StdioClientTransport } = await load('client/stdio.js');

const client = new Client({ name: 'old', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: 'ignore' }));
await client.listTools();
const told = {};
for (const [name, tool, input] of [
  ['answer', 'delegate', { cli: 'amplifier', prompt: 'hello' }],
  ['unknown target', 'delegate', { cli: 'nobody', prompt: 'hello' }],
  ['untrusted folder', 'delegate', { cli: 'amplifier', prompt: 'hello', safety_mode: 'yolo' }],
  ['unknown job', 'job_status', { job_id: 'nothing' }],
  ['bad input', 'delegate', { cli: 'amplifier', prompt: 5 }],
]) {
  const { isError = false, content } = await client.callTool({ name: tool, arguments: input });
  told[name] = { isError, text: content[0].text };
}
await client.close();
process.stdout.write(`${JSON.stringify(told)}\n`);
