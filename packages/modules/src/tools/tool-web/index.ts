import type { AmplifierModule, JsonObject } from '@amplifier/core';
import { readConfig } from '../../read-config.js';
import { resolveHost } from './resolve-host.js';
import { WebConfig } from './web-config.js';
import { webFetchTool } from './web-fetch.js';
import { webSearchTool } from './web-search.js';

/** `web_fetch`, and `web_search` where an endpoint is configured. */
const module: AmplifierModule = {
  mount({ mounts }, config: JsonObject) {
    const web = readConfig('tool-web', WebConfig, config);
    mounts.mount('tools', webFetchTool(web, resolveHost));
    if (web.search) mounts.mount('tools', webSearchTool(web, web.search));
  },
};
export default module;
