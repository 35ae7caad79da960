export {
  MCP_ERROR_CODES,
  OBSERVED_ERROR_CODES,
  RUN_ERROR_CODES,
} from './error-codes.js';
export { type HttpHandler, type HttpHandlerOptions, httpHandler } from './http-handler.js';
export { type ServeOptions, serveStdio } from './serve-stdio.js';
export { McpService, type ServiceOptions } from './service.js';
export { readBody } from './wire/read-body.js';
