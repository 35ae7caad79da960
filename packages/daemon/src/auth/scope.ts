import { DaemonError } from '../daemon-error.js';

/** What a token may do. Each may do what the ones before it may: look; work with sessions; change the daemon itself. */
export const SCOPES = ['read', 'run', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whoever sends a request. */
export interface Caller {
  /** Names the token in the log and in limits; never the token itself. */
  id: string;
  /** What limits, rates and budgets count: the token, also for every browser that was signed in with it. */
  account: string;
  scope: Scope;
  /** The tenant of the token, if teams share the deployment. Without one it is the operator's, who sees what all have. */
  tenant?: string;
  /** Who is signed in by a cookie rather than by a bearer token. */
  browser?: {
    expires_at: string | null;
    /** Signed in with a link of another browser. Such a browser must not create links. */
    from_browser: boolean;
    /** A shared link reads this session and what is below it, and nothing else. */
    shared_session: string | null;
  };
}

/** What an operation says of who may use it. */
interface Guarded {
  method: string;
  scope?: Scope;
  operator?: boolean;
}

/** The scope an operation needs: what it says, else `read` for looking and `run` for the rest. */
export function scopeOf({ scope, method }: Guarded): Scope {
  return scope ?? (method === 'get' ? 'read' : 'run');
}

/** What whoever asks may bring into a plan. Modules and files of the machine are the operator's to choose, not a tenant's. */
export function planScope({ scope, tenant }: Caller): Scope {
  return tenant !== undefined && scope === 'admin' ? 'run' : scope;
}

/** Is it about the deployment as a whole, which tokens of a tenant have no part in? What changes the daemon is, unless it says otherwise. */
export function isOperators(endpoint: Guarded): boolean {
  return endpoint.operator ?? scopeOf(endpoint) === 'admin';
}

/** Throws where a tenant's token asks for what is the operator's. */
export function checkOperator({ tenant }: Caller, endpoint: Guarded): void {
  if (tenant === undefined || !isOperators(endpoint)) return;
  throw new DaemonError(
    'OPERATOR_ONLY',
    `This concerns the whole deployment, but the token belongs to the tenant ${tenant}. Ask the operator.`,
  );
}

/** Throws when the token of whoever asks may not do this. */
export function checkScope({ scope }: Caller, needed: Scope): void {
  if (SCOPES.indexOf(scope) >= SCOPES.indexOf(needed)) return;
  throw new DaemonError(
    'INSUFFICIENT_SCOPE',
    `This needs a token with scope ${needed}, but this one has scope ${scope}. Create one: \`amplifierd token create --scope ${needed}\`.`,
    { members: { scope: needed } },
  );
}
