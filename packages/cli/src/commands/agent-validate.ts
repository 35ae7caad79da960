import { readFile } from 'node:fs/promises';
import { errorInfo, parseAgent } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { openCliProject } from '../open-project.js';
import { fromFolder } from '../session-options.js';

interface Finding {
  file: string;
  ok: boolean;
  messages: string[];
}

/** Checks agent files, or every agent there is. Exit code 1 when one cannot be used. */
export async function agentValidate(cli: Cli, files: readonly string[]): Promise<number> {
  const findings =
    files.length > 0
      ? await Promise.all(files.map((file) => check(fromFolder(cli.cwd, file))))
      : await checkAll(cli);
  if (cli.json) cli.printJson({ files: findings });
  else
    for (const { file, ok, messages } of findings) {
      cli.print(`${ok ? cli.color.green('ok') : cli.color.red('bad')}  ${file}`);
      for (const message of messages) cli.print(`    ${message}`);
    }
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

async function check(file: string): Promise<Finding> {
  try {
    const { warnings } = parseAgent(await readFile(file, 'utf8'), file);
    return { file, ok: true, messages: warnings.map(({ message }) => message) };
  } catch (error) {
    return { file, ok: false, messages: [errorInfo(error).message] };
  }
}

async function checkAll(cli: Cli): Promise<Finding[]> {
  const { agents } = await openCliProject(cli);
  const listed = await agents.resolver.list();
  return Promise.all(listed.map(({ path }) => check(path)));
}
