// Runs one turn of the chaos agent in a process that a test kills, and prints the text of the agent. Arguments as JSON.
import { AcpEngine, acpAgents, buildRoster } from '@amplifier/acp';
import { ModuleLoader } from '@amplifier/core';
import { Delegator } from '@amplifier/delegation';
import { openSessionStore } from '@amplifier/sessions';
import { NoSandbox } from '@amplifier/workspace';

const { folder, isolationHome, home, agent, request, sandboxed } = JSON.parse(process.argv[2]);
const store = await openSessionStore(`${folder}/record.db`);
const roster = buildRoster({ agents: { chaos: agent } });
const engine = new AcpEngine({
  store,
  roster,
  isolationHome,
  env: { PATH: process.env.PATH, HOME: home },
  ...(sandboxed ? {} : { sandbox: new NoSandbox('The test wants none.') }),
});
const delegator = new Delegator({
  store,
  loader: new ModuleLoader({ builtins: {} }),
  agents: acpAgents(roster),
  engines: { acp: engine },
  isolationHome,
});
await delegator.start({
  ...request,
  onEvent: (name, { delta }) => name === 'content_block:delta' && process.stdout.write(delta.text),
});
