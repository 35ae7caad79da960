import type { ParsedAgent } from '../agents/parse-agent.js';

/** An agent that is a member of a settings file, with all that it was read from. */
export interface AgentMember {
  text: string;
  parsed: ParsedAgent;
}

/** Its name is part of a path, and must not lead elsewhere. */
export const MEMBER_NAME = /^[A-Za-z0-9_][\w-]*$/;
