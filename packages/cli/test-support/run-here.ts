import { Readable, Writable } from 'node:stream';
import * as agentList from '../src/commands/agents/agent-list.js';
import type { LoadScript } from '../src/load-script.js';
import { main } from '../src/run-program.js';
import { type CliResult, MAIN } from './run-cli.js';

/** The program owns the streams, the folder and the variables of its process: one command at a time. */
let busy = false;

/** Runs a command line in this process, as far as a program can see in one of its own. Null while another one runs. */
export async function runHere(
  args: readonly string[],
  folder: string,
  env: Record<string, string>,
  input: string,
): Promise<CliResult | null> {
  if (busy) return null;
  busy = true;
  const before = { env: { ...process.env }, folder: process.cwd(), program: process.argv[1] ?? '' };
  const [out, errors] = [new Collected(), new Collected()];
  const streams = {
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout: out,
    stderr: errors,
  };
  const real = Object.keys(streams).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const,
  );
  try {
    for (const [name, value] of Object.entries(streams))
      Object.defineProperty(process, name, { value, configurable: true });
    setVariables(env);
    process.chdir(folder);
    process.argv[1] = MAIN;
    const code = await main(args, (() => agentList) as unknown as LoadScript);
    return { code, stdout: out.text, stderr: errors.text, json: () => JSON.parse(out.text) };
  } finally {
    process.argv[1] = before.program;
    process.chdir(before.folder);
    setVariables(before.env);
    for (const [name, descriptor] of real) if (descriptor) Object.defineProperty(process, name, descriptor);
    busy = false;
  }
}

function setVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

class Collected extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}
