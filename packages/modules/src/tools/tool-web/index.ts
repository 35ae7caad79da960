import type { AmplifierModule, JsonObject } from '@amplifier/core';
import { readConfig } from '../../read-config.js';
import { chosenTools } from '../only-tools.js';
import { resolveHost } from './resolve-host.js';
import { WebConfig } from './web-config.js';
import { webFetchTool } from './web-fetch.js';
import { webSearchTool } from './web-search.js';

/** `web_fetch`, and `web_search` where an endpoint is configured. */
const module: AmplifierModule = {
  mount({ mounts }, config: JsonObject) {
    const web = readConfig('tool-web', WebConfig, config);
    const tools = [webFetchTool(web, resolveHost), ...(web.search ? [webSearchTool(web, web.search)] : [])];
    for (const tool of chosenTools(tools, web.only)) mounts.mount('tools', tool);
  },
};
export default module;
