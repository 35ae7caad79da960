import { redactSecrets } from '@amplifier/core';
import { stringify } from 'yaml';
import { YAML_OUTPUT } from '../documents/yaml-output.js';
import type { Bundle } from './bundle.js';

/**
 * The composed bundle as the text of one `bundle.md` without includes, to keep beside a session. Loading it gives the
 * same plan again. Secrets are left out; references such as `${API_KEY}` stay.
 */
export function snapshotBundle(bundle: Bundle): string {
  const { name, version, description, session, providers, tools, hooks, spawn, agents, context, parts } =
    redactSecrets({ ...bundle, warnings: [] });
  const sections = { session, providers, tools, hooks, spawn, agents, context };
  const filled = Object.entries(sections).filter(([, section]) => Object.keys(section).length > 0);
  const frontmatter = {
    bundle: {
      name,
      ...(version === null ? {} : { version }),
      ...(description ? { description } : {}),
      composed_of: parts,
    },
    ...Object.fromEntries(filled),
  };
  return `---\n${stringify(frontmatter, { ...YAML_OUTPUT, lineWidth: 0, aliasDuplicateObjects: false })}---\n\n${bundle.instruction ?? ''}\n`;
}
