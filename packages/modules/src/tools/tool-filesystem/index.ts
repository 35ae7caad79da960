import type { AmplifierModule, JsonObject } from '@amplifier/core';
import { readConfig } from '../../read-config.js';
import { OneAtATime } from '../one-at-a-time.js';
import { chosenTools } from '../only-tools.js';
import { editFileTool, multiEditTool } from './edit-file.js';
import { FileAccess, FilesystemConfig } from './file-access.js';
import { listFilesTool } from './list-files.js';
import { readFileTool } from './read-file.js';
import { SeenFiles } from './seen-files.js';
import { writeFileTool } from './write-file.js';

/** `read_file`, `write_file`, `edit_file`, `multi_edit` and `list_files`, inside what the session's grant allows. */
const module: AmplifierModule = {
  mount(coordinator, config: JsonObject) {
    const read = readConfig('tool-filesystem', FilesystemConfig, config);
    const access = new FileAccess(read);
    // All calls of one message run at once: two edits of one file must not lose each other.
    const turns = new OneAtATime();
    const seen = new SeenFiles(() => coordinator.getCapability('session.answers_folder') ?? null);
    const tools = [
      readFileTool(access, seen),
      writeFileTool(access, turns, seen),
      editFileTool(access, turns, seen),
      multiEditTool(access, turns, seen),
      listFilesTool(access),
    ];
    for (const tool of chosenTools(tools, read.only)) coordinator.mounts.mount('tools', tool);
  },
};
export default module;
