import { type AmplifierModule, findOwnProgram, type JsonObject } from '@amplifier/core';
import { z } from 'zod';
import { readConfig } from '../../read-config.js';
import { chosenTools } from '../only-tools.js';
import { FileAccess, FilesystemConfig } from '../tool-filesystem/file-access.js';
import { globTool } from './glob-tool.js';
import { grepTool } from './grep-tool.js';
import { plainEngine } from './plain-engine.js';
import { ripgrepEngine } from './ripgrep-engine.js';
import type { SearchEngine } from './search-engine.js';

const Config = FilesystemConfig.pick({
  allowed_read_paths: true,
  denied_read_paths: true,
  only: true,
}).extend({
  /** The program to use; false for none. Without it, `rg` is used where it is installed. */
  ripgrep: z.union([z.string(), z.literal(false)]).optional(),
});

/** `glob` and `grep`, by ripgrep where it is installed and by ourselves elsewhere, with the same results. */
const module: AmplifierModule = {
  mount({ mounts }, config: JsonObject) {
    const { ripgrep, only, ...paths } = readConfig('tool-search', Config, config);
    const access = new FileAccess(FilesystemConfig.parse(paths));
    let engine: Promise<SearchEngine> | undefined;
    const chosen = () => {
      engine ??= choose(ripgrep);
      return engine;
    };
    for (const tool of chosenTools([globTool(access, chosen), grepTool(access, chosen)], only))
      mounts.mount('tools', tool);
  },
};
export default module;

async function choose(ripgrep: string | false | undefined): Promise<SearchEngine> {
  const program = ripgrep ?? (await findOwnProgram('rg'));
  return program ? ripgrepEngine(program) : plainEngine;
}
