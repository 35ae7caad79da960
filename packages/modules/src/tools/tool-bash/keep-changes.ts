import { type Coordinator, errorInfo } from '@amplifier/core';

/** Runs a command and lets whoever keeps changes know what it changed. The command runs, whether that works or not. */
export async function keepChanges<T>(
  coordinator: Pick<Coordinator, 'getCapability' | 'report'>,
  run: () => Promise<T>,
): Promise<T> {
  const changes = coordinator.getCapability('session.changes');
  if (!changes) return run();
  const told = (error: unknown) => {
    const message = `What commands change cannot be undone later: ${errorInfo(error).message}`;
    coordinator.report({ level: 'warning', code: 'UNDO_UNAVAILABLE', message });
    return null;
  };
  const ended = await changes.watchCommand().catch(told);
  try {
    return await run();
  } finally {
    await ended?.().catch(told);
  }
}
