import { createHash, timingSafeEqual } from 'node:crypto';
import { errorInfo } from '@amplifier/host';
import {
  type AuthInfo,
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpHandlerRequestOptions,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { serverFactory } from './build-server.js';
import type { McpService } from './service.js';
import { HttpSessions } from './wire/http-sessions.js';
import { readBody } from './wire/read-body.js';

export interface HttpHandlerOptions {
  version: string;
  /** What callers must present as `Authorization: Bearer …`. Null only where something in front has checked already. */
  token: string | null;
  /** Something in front has checked host name and origin already, by rules of its own. */
  gated?: boolean;
  /** Host names under which this server may be addressed; others are refused, so that no web page can reach it by a name of its own. */
  allowed_hosts?: string[];
  /** Host names of the pages that may call it. Programs send no origin and are not asked for one. */
  allowed_origins?: string[];
  /** May a caller declare its folder trusted? Only when the operator says so. */
  honours_trust?: boolean;
}

export interface HttpHandler {
  /**
   * `owner`: whose token it came with, where streams, sessions and jobs are that one's own. `parsedBody`: of a request whose body has
   * been read (`readBody`).
   */
  fetch(request: Request, options?: McpHandlerRequestOptions & { owner?: string | null }): Promise<Response>;
  close(): Promise<void>;
}

/** MCP over streamable HTTP, to be mounted at `/mcp`. The service belongs to the caller, who closes it. */
export function httpHandler(service: McpService, options: HttpHandlerOptions): HttpHandler {
  const { version, token, honours_trust = false, gated = false } = options;
  const { allowed_hosts = localhostAllowedHostnames(), allowed_origins = localhostAllowedOrigins() } =
    options;
  const factory = serverFactory(service, { honours_trust, version });
  const sessions = new HttpSessions(factory);
  const handler = createMcpHandler(factory, {
    legacy: 'reject',
    onerror: (error) =>
      service.report({ level: 'warning', code: 'MCP_TRANSPORT', message: errorInfo(error).message, error }),
  });
  return {
    async fetch(request, { owner = null, parsedBody: given } = {}) {
      const rejected = gated
        ? undefined
        : (hostHeaderValidationResponse(request, allowed_hosts) ??
          originValidationResponse(request, allowed_origins));
      if (rejected) return rejected;
      if (token !== null && !bears(request, token)) return unauthorized();
      // Who it is has been settled; the token itself is nobody's business in here.
      const auth: AuthInfo | null = owner === null ? null : { token: '', clientId: owner, scopes: [] };
      const read = given === undefined ? await readBody(request) : { parsedBody: given };
      if ('refused' in read) return read.refused;
      const { parsedBody } = read;
      if (await isLegacyRequest(request, parsedBody)) return sessions.fetch(request, auth, parsedBody);
      return handler.fetch(request, { ...(auth ? { authInfo: auth } : {}), parsedBody });
    },
    async close() {
      await sessions.close();
      await handler.close();
    },
  };
}

function bears(request: Request, token: string): boolean {
  const [, given = ''] = /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  // Digests are of one length, and comparing them takes as long whatever was given.
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function unauthorized(): Response {
  const body = {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32001, message: 'Present the token of this server as Authorization: Bearer.' },
  };
  return Response.json(body, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
}
