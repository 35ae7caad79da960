import { Bubblewrap } from './bubblewrap.js';
import { NoSandbox } from './no-sandbox.js';
import type { Sandbox, SandboxGuarantees } from './sandbox.js';

/** What works, by the search path it was found along: a process is started to find out. One that is gone since starts no command. */
const working = new Map<string | undefined, Bubblewrap>();

/** The best sandbox that works on this machine. */
export async function detectSandbox(): Promise<Sandbox> {
  const { PATH } = process.env;
  const found = working.get(PATH) ?? (await Bubblewrap.detect());
  if (found instanceof Bubblewrap) {
    working.set(PATH, found);
    return found;
  }
  return new NoSandbox(
    `${found.because} On Linux, install the package bubblewrap to have commands confined.`,
  );
}

const SENTENCES: Record<keyof SandboxGuarantees, [holds: string, fails: string]> = {
  writes_confined: [
    'Commands write only inside the write scope.',
    'Commands may write wherever the user may.',
  ],
  reads_confined: [
    'Commands read only inside the read scope, and system folders.',
    'Commands may read whatever the user may.',
  ],
  network_confined: [
    'Commands without network reach nobody, not even this machine.',
    'Commands may use the network even when the grant has none.',
  ],
  processes_contained: [
    'Nothing a command starts outlives it, a kill, or our own sudden death.',
    'A process that leaves parent and session and clears its environment escapes a kill; what outlives our own sudden death is ended at the next start.',
  ],
  calls_filtered: [
    'Commands reach no keys of the kernel, no mounts and no memory of other processes: such system calls are refused.',
    'Commands may use every system call, and read the keys that the kernel keeps for the user.',
  ],
};

/** What is promised on this machine, in words, one line each. */
export function explainGuarantees({ name, because, guarantees }: Sandbox): string {
  const names = Object.keys(SENTENCES) as (keyof SandboxGuarantees)[];
  const lines = names.map((guarantee) => SENTENCES[guarantee][guarantees[guarantee] ? 0 : 1]);
  return [`sandbox: ${name} (${because})`, ...lines].join('\n');
}
