import type { ConfinedCommand, Confinement, Sandbox } from './sandbox.js';

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

  async confine({ command }: Confinement): Promise<ConfinedCommand> {
    return {
      argv: command,
      env: {},
      isGuard: () => false,
      unenforced: ['The command runs without a sandbox: path scopes and network are not enforced on it.'],
      release: async () => [],
    };
  }
}
