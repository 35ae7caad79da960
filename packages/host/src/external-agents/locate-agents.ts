import { readdir } from 'node:fs/promises';
import { delimiter, isAbsolute } from 'node:path';
import type { Roster } from '@amplifier/acp';
import { findProgram, programPath } from '@amplifier/core';
import type { ExternalAgent, ProgramSearch } from './list-external-agents.js';

/** Says of each agent of a roster where its program is. */
export async function locateAgents(
  { agents }: Roster,
  { environment, cwd }: ProgramSearch,
): Promise<ExternalAgent[]> {
  const path = programPath(environment.PATH ?? '', cwd);
  const names = await namesOnPath(path);
  const mayBeThere = (program: string) => program.includes('/') || names.has(program);
  return Promise.all(
    agents.map(async (agent) => {
      const [program] = agent.command;
      const found = mayBeThere(program) ? await findProgram(program, path, cwd) : null;
      return { name: `acp:${agent.id}`, agent, program: found };
    }),
  );
}

/** Everything the search path leads to. To ask each folder for each program would take longer than all the rest. */
async function namesOnPath(path: string): Promise<Set<string>> {
  const folders = [...new Set(path.split(delimiter))].filter(isAbsolute);
  const lists = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  return new Set(lists.flat());
}
