import { homedir } from 'node:os';
import { OTHER_TOOLS, type OtherTool, type Settings } from '@amplifier/foundation';
import type { Environment } from '../environment.js';

/** Whose files are read beside ours: all, unless the settings say otherwise (`other_tools: false`, or `{ claude_code: false }`). */
export function enabledTools({ other_tools = true }: Settings): ReadonlySet<OtherTool> {
  if (other_tools === false) return new Set();
  const off = other_tools === true ? {} : other_tools;
  return new Set(OTHER_TOOLS.filter((tool) => off[tool] !== false));
}

/** Where the person's own files of other tools are. */
export function userHome(environment: Environment): string {
  return environment.HOME?.trim() || homedir();
}
