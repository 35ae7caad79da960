import type { Grant } from '../grant/grant.js';
import { Bubblewrap } from './bubblewrap.js';
import type { ConfinedCommand, Confinement, Sandbox, SandboxGuarantees } from './sandbox.js';

/**
 * Detections by search path. Each starts processes, so calls at the same time share one, and one that succeeded is kept. A sandbox
 * that is removed later starts no command.
 */
const detections = new Map<string | undefined, ReturnType<typeof Bubblewrap.detect>>();

/** The best sandbox that works on this machine. */
export async function detectSandbox(): Promise<Sandbox> {
  const { PATH } = process.env;
  const detection = detections.get(PATH) ?? Bubblewrap.detect();
  detections.set(PATH, detection);
  const found = await detection;
  if (found instanceof Bubblewrap) return found;
  if (detections.get(PATH) === detection) detections.delete(PATH);
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

/** Runs commands as they are, and says that nothing is guaranteed. */
export class NoSandbox implements Sandbox {
  readonly name = 'none';
  readonly showsOverlays = false;
  readonly guarantees = {
    writes_confined: false,
    reads_confined: false,
    network_confined: false,
    processes_contained: false,
    calls_filtered: false,
  };
  readonly because: string;

  constructor(because: string) {
    this.because = because;
  }

  async confine({ command, env }: Confinement): Promise<ConfinedCommand> {
    return {
      argv: command,
      env,
      isGuard: () => false,
      unenforced: ['The command runs without a sandbox: path scopes and network are not enforced on it.'],
      release: async () => [],
    };
  }
}

/** What a command may do when it is run, in one sentence for whoever decides about it. */
export function sandboxWords(sandbox: Sandbox | null, grant: Grant | null): string {
  if (sandbox === null || !sandbox.guarantees.writes_confined)
    return 'No sandbox holds it: it can do all that you can.';
  if (grant === null) return 'Held by the sandbox.';
  const { allow } = grant.write;
  const writes =
    allow.length === 0 ? 'nowhere' : allow.includes('/') ? 'everywhere' : `in ${allow.join(', ')}`;
  const network =
    grant.network === true
      ? 'reaches the network'
      : sandbox.guarantees.network_confined
        ? 'does not reach the network'
        : 'is not kept from the network';
  return `The sandbox lets it write ${writes}; it ${network}.`;
}
