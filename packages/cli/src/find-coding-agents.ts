import { builtinExternalAgents } from '@amplifier/host';

export interface CodingAgent {
  id: string;
  program: string;
}

/** The coding agents of the built-in roster that are installed. Starts none of them. */
export async function findCodingAgents(cwd: string): Promise<CodingAgent[]> {
  const agents = await builtinExternalAgents({ environment: process.env, cwd });
  return agents.flatMap(({ agent: { id }, program }) => (program === null ? [] : [{ id, program }]));
}
