import { type Diagnostic, errorInfo, Session } from '@amplifier/core';
import { delegationModules } from '@amplifier/delegation';
import { ROUTING_HOOK } from '@amplifier/foundation';
import type { Project } from '../project/project.js';
import { moduleLoader, moduleSources } from './module-loader.js';
import { giveProbeRights } from './probe-rights.js';

/** Mounts the tools and hooks of a project's plan once, MCP servers included, and tells which of them cannot be loaded. */
export async function probeModules(project: Project): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic) => void found.push(diagnostic);
  const loader = moduleLoader({ environment: { ...project.environment }, report });
  const plan = await project.plan();
  const session = new Session({
    // Providers are looked at by themselves, and what delegates needs a Delegator to mount in.
    plan: { ...plan, providers: [], tools: without(plan.tools), hooks: without(plan.hooks) },
    loader,
    id: 'probe',
    report,
  });
  session.coordinator.mounts.mount('module-source-resolver', moduleSources(project));
  try {
    await giveProbeRights(session, project);
    await session.initialize();
  } catch (error) {
    report({ level: 'error', code: 'MODULE_MOUNT_FAILED', message: errorInfo(error).message, error });
  } finally {
    // No session was here: hooks that run a command at its end run none.
    await session.coordinator.cleanup();
  }
  return found;
}

function without<Entry>(entries: readonly Entry[] = []): Entry[] {
  const needsMore = new Set([...Object.keys(delegationModules), ROUTING_HOOK]);
  return entries.filter((entry) => {
    const name = typeof entry === 'string' ? entry : (entry as { module?: string }).module;
    return !needsMore.has(name ?? '');
  });
}
