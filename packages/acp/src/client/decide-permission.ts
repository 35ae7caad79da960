import type { PermissionOption } from '@agentclientprotocol/sdk';
import { checkGrant, type Grant, type SafetyMode } from '@amplifier/workspace';

/** What decides whether an agent may do what it asks for. */
export interface PermissionContext {
  safety_mode: SafetyMode;
  /** The session's, with real paths. */
  grant: Grant;
  /** Does the operating system keep the agent from writing outside its scope? */
  confined: boolean;
  /** Does a person want to be asked before programs run and the machine is left? */
  approves: boolean;
}

export interface PermissionVerdict {
  /** `ask`: a person may say yes; without one it is a no. */
  verdict: 'allow' | 'refuse' | 'ask';
  because: string;
}

const CHANGES = new Set(['edit', 'delete', 'move']);
const LOOKS = new Set(['read', 'search', 'think']);

/**
 * Decides by the kind of the tool call and the places it names, never by the words of the request. A kind nobody knows counts
 * as one that changes things.
 */
export function decidePermission(
  kind: string,
  paths: readonly string[],
  context: PermissionContext,
): PermissionVerdict {
  const decided = decideByGrant(kind, paths, context);
  // Changes stay in the agent's tree until they are approved as a whole.
  if (decided.verdict !== 'allow' || !context.approves || LOOKS.has(kind) || CHANGES.has(kind))
    return decided;
  return { verdict: 'ask', because: 'You are asked before programs run and the machine is left.' };
}

function decideByGrant(
  kind: string,
  paths: readonly string[],
  { safety_mode, grant, confined }: PermissionContext,
): PermissionVerdict {
  if (LOOKS.has(kind)) return overPaths('read', paths, grant);
  if (kind === 'fetch') return verdictOf(checkGrant(grant, { kind: 'network' }));
  if (safety_mode === 'yolo') return allow('Everything is allowed in yolo mode.');
  if (kind === 'execute') {
    if (safety_mode !== 'write' && !confined)
      return refuse(`Commands run in ${safety_mode} mode only inside a sandbox, and there is none here.`);
    const decision = checkGrant(grant, { kind: 'exec', confined });
    return decision.allowed ? allow(decision.because) : { verdict: 'ask', because: decision.because };
  }
  if (safety_mode === 'read_only')
    return refuse(`In read_only mode nothing is changed, and '${kind}' may change something.`);
  if (CHANGES.has(kind)) return overPaths('write', paths, grant);
  if (kind === 'switch_mode') return refuse('The mode of the session is not the agent’s to change.');
  return confined
    ? allow('The sandbox holds it.')
    : { verdict: 'ask', because: `Nobody knows what '${kind}' does.` };
}

function overPaths(access: 'read' | 'write', paths: readonly string[], grant: Grant): PermissionVerdict {
  for (const path of paths) {
    const decision = checkGrant(grant, { kind: access, path });
    if (!decision.allowed) return refuse(decision.because);
  }
  return allow(`It is inside the session's ${access} scope.`);
}

/** Words that end the whole turn where a plain no would let it go on. */
const ABORTS = /abort|cancel|stop|quit|interrupt/i;

/**
 * The option that says it best; null when none does, which an agent takes for a cancelled request. A yes is only an option of
 * a kind that means yes, for once if there is a choice. A no prefers an option that lets the turn go on.
 */
export function chooseOption(options: readonly PermissionOption[], allowed: boolean): string | null {
  const ofKind = (kind: string) => options.filter((option) => option.kind === kind);
  if (allowed) return (ofKind('allow_once')[0] ?? ofKind('allow_always')[0])?.optionId ?? null;
  const noes = [...ofKind('reject_once'), ...ofKind('reject_always')];
  const mild = noes.find(({ optionId, name }) => !ABORTS.test(optionId) && !ABORTS.test(name));
  return (mild ?? noes[0])?.optionId ?? null;
}

const allow = (because: string): PermissionVerdict => ({ verdict: 'allow', because });
const refuse = (because: string): PermissionVerdict => ({ verdict: 'refuse', because });
const verdictOf = ({ allowed, because }: { allowed: boolean; because: string }) =>
  allowed ? allow(because) : refuse(because);
