import { type Diagnostic, errorInfo, type JsonObject, Session } from '@amplifier/core';
import { moduleLoader } from '../assembly/module-loader.js';
import { giveProbeRights } from '../assembly/probe-rights.js';
import { DEFAULT_SESSION } from '../defaults.js';
import type { Project } from '../project/project.js';

/** Whoever tests a server wants its answer, however long that takes; the time limits of the server count. */
const PROBE_WAIT_MS = 10 * 60_000;

/** What an MCP server answers when it is asked for its tools. */
export interface ServerProbe {
  tools: { name: string; description: string }[];
  problem: string | null;
}

/** Starts one MCP server as a session would, asks for its tools, and ends it. */
export async function probeServer(project: Project, name: string, server: JsonObject): Promise<ServerProbe> {
  const found: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic) => void found.push(diagnostic);
  const session = new Session({
    plan: {
      session: { ...DEFAULT_SESSION },
      tools: [
        {
          module: 'tool-mcp',
          config: { servers: { [name]: { ...server, start: 'with_session', start_wait_ms: PROBE_WAIT_MS } } },
        },
      ],
    },
    loader: moduleLoader({ environment: { ...project.environment }, report }),
    id: 'probe',
    report,
  });
  try {
    await giveProbeRights(session, project);
    await session.initialize();
    const tools = [...session.coordinator.mounts.all('tools').values()];
    return {
      tools: tools.map(({ name: tool, description }) => ({ name: tool, description })),
      problem: found[0]?.message ?? null,
    };
  } catch (error) {
    return { tools: [], problem: errorInfo(error).message };
  } finally {
    await session.cleanup();
  }
}
