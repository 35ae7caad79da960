import {
  type Diagnostic,
  type ExternalAgent,
  errorInfo,
  externalAgents,
  type Project,
} from '@amplifier/host';

/** An external agent as a line of the list. */
export interface ExternalRow {
  name: string;
  source: 'acp';
  description: string;
  installed: boolean;
}

/** The external agents of a project, and why there are none when the settings cannot be used. */
export async function externalRows(
  project: Project,
): Promise<{ rows: ExternalRow[]; problems: Pick<Diagnostic, 'level' | 'code' | 'message'>[] }> {
  try {
    return { rows: (await externalAgents(project)).map(rowOf), problems: [] };
  } catch (error) {
    const { code = 'ROSTER_INVALID', message } = errorInfo(error);
    return { rows: [], problems: [{ level: 'error', code, message }] };
  }
}

function rowOf({ name, agent, program }: ExternalAgent): ExternalRow {
  const installed = program !== null;
  const description = `${installed ? '' : 'not installed: '}${agent.display_name}, an external coding agent`;
  return { name, source: 'acp', description, installed };
}

/** The external agent somebody names as `acp:<id>`; undefined for any other name. Throws for an id nobody has. */
export async function findExternal(project: Project, name: string): Promise<ExternalAgent | undefined> {
  if (!name.startsWith('acp:')) return undefined;
  const agents = await externalAgents(project);
  return agents.find((agent) => agent.name === name);
}
