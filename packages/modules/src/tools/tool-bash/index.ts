import { type AmplifierModule, environmentOf, type JsonObject } from '@amplifier/core';
import { readConfig } from '../../read-config.js';
import { BackgroundProcesses } from './background-processes.js';
import { BashConfig } from './bash-config.js';
import { bashTool } from './bash-tool.js';
import { OutputFolder } from './output-folder.js';
import { processTool } from './process-tool.js';
import { sessionSandbox } from './session-sandbox.js';

/** `bash` runs commands, `bash_process` looks after those in the background. Nothing it started outlives the session. */
const module: AmplifierModule = {
  mount(coordinator, config: JsonObject) {
    const { mounts } = coordinator;
    const bash = readConfig('tool-bash', BashConfig, config);
    const background = new BackgroundProcesses(bash.max_background);
    const outputs = new OutputFolder(bash.output_folder);
    const shell = { config: bash, environment: environmentOf(config), sandbox: sessionSandbox(coordinator) };
    mounts.mount('tools', bashTool(shell, background, outputs));
    mounts.mount('tools', processTool(background));
    return async () => {
      await background.stopAll();
      await outputs.remove();
    };
  },
};
export default module;
