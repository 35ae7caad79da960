import { fileURLToPath } from 'node:url';

/** The command that starts the chaos agent: a real process that speaks ACP and misbehaves on command. */
export function chaosAgentCommand(...flags: string[]): [string, ...string[]] {
  // Also when this module is read from its source, the agent runs from what was built.
  const main = fileURLToPath(new URL('./chaos-agent/main.js', import.meta.url)).replace(
    '/testkit/src/',
    '/testkit/dist/',
  );
  return [process.execPath, main, ...flags];
}
