import type { Environment } from '../environment.js';
import { builtinExternalAgents } from './list-external-agents.js';

export interface CodingAgent {
  id: string;
  program: string;
}

/** The coding agents of the built-in roster that are installed. Starts none of them. */
export async function findCodingAgents(
  cwd: string,
  environment: Environment = process.env,
): Promise<CodingAgent[]> {
  const agents = await builtinExternalAgents({ environment, cwd });
  return agents.flatMap(({ agent: { id }, program }) => (program === null ? [] : [{ id, program }]));
}
