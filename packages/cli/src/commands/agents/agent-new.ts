import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { folderTrust, hostPaths, parseAgent } from '@amplifier/host';
import { stringify } from 'yaml';
import type { Cli } from '../../cli.js';
import { keepTrust } from '../../options/choose-scope.js';
import type { Options } from '../../program/bind.js';
import { UsageError } from '../../usage-error.js';

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/** Writes an agent file that works as it stands, and never over one that is there. */
export async function agentNew(cli: Cli, name: string, options: Options): Promise<number> {
  if (!NAME.test(name))
    throw new UsageError(`'${name}' cannot be the name of an agent. Use letters, digits, - and _.`);
  const { home, project } = hostPaths(cli.cwd);
  const file = join(options.user ? home : project, 'agents', `${name}.md`);
  const text = agentFile(name, String(options.description ?? `Does what the name says: ${name}.`));
  parseAgent(text, file);
  const before = await folderTrust(hostPaths(cli.cwd));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new UsageError(`${file} already exists. Choose another name, or edit it.`);
    throw error;
  });
  await keepTrust(cli, before);
  if (cli.json) cli.printJson({ name, path: file });
  else {
    cli.print(file);
    cli.say(`Edit it, then try: amplifier run --agent ${name} "…"`);
  }
  return 0;
}

function agentFile(name: string, description: string): string {
  const frontmatter = stringify(
    {
      meta: { name, description },
      model_role: ['general'],
      tools: ['tool-filesystem', 'tool-search'],
    },
    { compat: 'yaml-1.1' },
  );
  return `---
${frontmatter}# agents: none      # whom it may delegate to: all, none or a list of names
# To let it delegate, add tool-delegate to tools.
---

You are ${name}. ${description}

Look at the files that matter before you answer; do not guess what they hold. Do what the task asks and nothing beside it.
Answer with what you found or did first, then how you know it, naming files with their lines. Say what you could not find out.
`;
}
