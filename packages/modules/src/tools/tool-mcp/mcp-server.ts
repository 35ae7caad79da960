import { randomUUID } from 'node:crypto';
import {
  boundsFault,
  type CheckValue,
  type Coordinator,
  errorInfo,
  type JsonObject,
  schemaCompiler,
} from '@amplifier/core';
import { checkGrant, type Sandbox } from '@amplifier/workspace';
import type { Client, jsonSchemaValidator, Tool as McpTool, Transport } from '@modelcontextprotocol/client';
import { sameOriginFetch } from '../../providers/same-origin-fetch.js';
import { configuredGrant, grantOf, requireGrant, workingDirOf } from '../session-grant.js';
import { sessionSandbox } from '../tool-bash/session-sandbox.js';
import { ToolError } from '../tool-error.js';
import { type Offer, storeOffer } from './known-offers.js';
import type { McpServerConfig } from './mcp-config.js';
import {
  type ConnectionUser,
  isSlow,
  joinConnection,
  leaveConnection,
  noteSlow,
  usersOf,
} from './shared-connections.js';
import { StoredLogin } from './stored-login.js';

/**
 * One configured server of one session: connected when first used, and again when the connection was lost. Sessions of a tree
 * that may do the same in the same folder share the connection.
 */
export class McpServer implements ConnectionUser {
  readonly name: string;
  readonly config: McpServerConfig;
  /** Called with the server's tools when it says that they changed. */
  onToolsChanged: (tools: McpTool[]) => void = () => {};
  #coordinator: Coordinator;
  #sandbox: () => Promise<Sandbox>;
  #connection: string | undefined;
  #tree: string | undefined;
  #closed = false;
  #offers = { resources: false, prompts: false };
  /** What its tools were mounted from before it was asked; null when it was asked. */
  #expected: Offer | null = null;

  constructor(name: string, config: McpServerConfig, coordinator: Coordinator) {
    this.name = name;
    this.config = config;
    this.#coordinator = coordinator;
    this.#sandbox = sessionSandbox(coordinator);
  }

  /** What it offered beside tools when it was last connected. */
  get offers(): Readonly<{ resources: boolean; prompts: boolean }> {
    return this.#offers;
  }

  /** The live connection. Throws `ToolError` when there is none to be had. */
  client(): Promise<Client> {
    if (this.#closed)
      throw new ToolError('SERVER_FAILED', `The session with the MCP server '${this.name}' is over.`);
    this.#connection ??= this.#nameOfConnection();
    return joinConnection(this.#connection, this, (lost, stop) => this.#connect(lost, stop));
  }

  /** Somebody of the tree waited for it in vain at the start of a session; the others need not. */
  get isSlow(): boolean {
    return isSlow(this.#ofTree());
  }

  set isSlow(slow: boolean) {
    if (this.#connection !== undefined) noteSlow(this.#connection, slow ? this.#ofTree() : null);
  }

  /** Its tools were mounted as it offered them before; when it is connected, it may offer others. */
  expect(offer: Offer): void {
    this.#expected = offer;
    this.#offers = offer;
  }

  /** May its session start or reach it? */
  async isAllowed(): Promise<boolean> {
    const { config } = this;
    const grant = configuredGrant(grantOf({ coordinator: this.#coordinator }));
    if ('url' in config)
      return checkGrant(grant, { kind: 'network', host: new URL(config.url).hostname }).allowed;
    const confined = (await this.#sandbox()).name !== 'none';
    return checkGrant(grant, { kind: 'exec', confined }).allowed;
  }

  /** Only sessions of one tree with the same rights in the same folder: to a server they are one and the same. */
  #nameOfConnection(): string {
    const coordinator = this.#coordinator;
    const rights = [workingDirOf({ coordinator }), grantOf({ coordinator })];
    return JSON.stringify([this.#ofTree(), rights]);
  }

  #ofTree(): string {
    this.#tree ??= this.#coordinator.getCapability('session.root_id') ?? randomUUID();
    return JSON.stringify([this.#tree, this.name, this.config]);
  }

  /** Runs one request and says whose failure it was. */
  async request<Result>(what: string, work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = await this.client();
    try {
      return await work(client);
    } catch (cause) {
      if (cause instanceof ToolError) throw cause;
      throw new ToolError(
        'SERVER_FAILED',
        `${what} of the MCP server '${this.name}' failed: ${errorInfo(cause).message}`,
        { cause },
      );
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#connection !== undefined) await leaveConnection(this.#connection, this);
  }

  async #connect(lost: () => void, stop: AbortSignal): Promise<Client> {
    const { Client } = await import('@modelcontextprotocol/client');
    const client = new Client(
      { name: 'amplifier', version: '0.1.0' },
      {
        versionNegotiation: { mode: 'url' in this.config ? 'auto' : 'legacy' },
        jsonSchemaValidator: await this.#outputValidator(),
        listChanged: { tools: { onChanged: (error, tools) => this.#tellAll(error, tools) } },
      },
    );
    client.onclose = lost;
    const transport = await this.#transport();
    try {
      await unlessStopped(
        this.#greet(client, transport),
        AbortSignal.any([stop, AbortSignal.timeout(this.config.connect_timeout_ms)]),
      );
    } catch (cause) {
      await transport.close();
      // Read after its end: a server that exits at once closes its input before its last words are read.
      const complaint =
        'complaint' in transport && transport.complaint ? ` It wrote: ${transport.complaint}` : '';
      throw new ToolError(
        'SERVER_FAILED',
        `The MCP server '${this.name}' cannot be reached: ${errorInfo(cause).message}.${complaint}`,
        {
          cause,
          retryable: true,
        },
      );
    }
    return client;
  }

  /**
   * Checks structured results; the library's own validator runs the server's patterns with backtracking. A schema that cannot be used is
   * reported and not checked: it guards nothing.
   */
  async #outputValidator(): Promise<jsonSchemaValidator> {
    const compile = await schemaCompiler();
    const checkOf = (schema: JsonObject): CheckValue => {
      try {
        const fault = boundsFault(schema);
        if (fault !== null) throw new Error(fault);
        return compile(schema);
      } catch (error) {
        const message = `The MCP server '${this.name}' has a tool whose output schema cannot be used: ${errorInfo(error).message}. Its results are not checked.`;
        this.#coordinator.report({
          level: 'warning',
          code: 'MCP_SCHEMA_UNSUPPORTED',
          message,
          module_id: 'tool-mcp',
        });
        return () => null;
      }
    };
    return {
      getValidator(schema) {
        const check = checkOf(schema);
        return (input) => {
          const errorMessage = check(input);
          return errorMessage === null
            ? { valid: true, data: input as never, errorMessage: undefined }
            : { valid: false, data: undefined, errorMessage };
        };
      },
    };
  }

  async #greet(client: Client, transport: Transport): Promise<void> {
    await client.connect(transport, { timeout: this.config.connect_timeout_ms });
    const { resources, prompts } = client.getServerCapabilities() ?? {};
    this.#offers = { resources: resources !== undefined, prompts: prompts !== undefined };
    if (this.#expected) await this.#compare(client, this.#expected);
  }

  async #transport(): Promise<Transport> {
    const coordinator = this.#coordinator;
    if (!('url' in this.config)) {
      const { ProcessTransport } = await import('./process-transport.js');
      const place = {
        cwd: workingDirOf({ coordinator }),
        isTrusted: coordinator.getCapability('session.folder_trusted') === true,
        grant: configuredGrant(grantOf({ coordinator })),
        sandbox: await this.#sandbox(),
      };
      return new ProcessTransport(this.config, place, coordinator.clock);
    }
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { url, headers } = this.config;
    requireGrant({ coordinator }, { kind: 'network', host: new URL(url).hostname });
    const folder = coordinator.getCapability('session.mcp_logins');
    return new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      // A token that was given with the configuration is all there is to sign in with.
      ...(folder && !hasAuthorization(headers)
        ? { authProvider: new StoredLogin({ folder, url, name: this.name }) }
        : {}),
      fetch: sameOriginFetch,
    });
  }

  /** More than are kept. */
  reportCut(kept: number, offered: number): void {
    const message = `The MCP server '${this.name}' offers ${offered} tools, more than can be kept. The first ${kept} are used. Name those you need under 'tools' of the server.`;
    this.#coordinator.report({ level: 'warning', code: 'MCP_TOOLS_CUT', message, module_id: 'tool-mcp' });
  }

  /** Another server has a tool of the same name. `kept`: the server whose tool is used. */
  reportTaken(tool: string, other: string, kept: string): void {
    const message = `The MCP servers '${other}' and '${this.name}' both have a tool that is named ${tool} here. That of '${kept}' is used. Rename one of the servers to use both.`;
    this.#coordinator.report({ level: 'warning', code: 'MCP_NAME_TAKEN', message, module_id: 'tool-mcp' });
  }

  reportReserved(tool: string): void {
    const message = `The MCP server '${this.name}' has a tool that would be named ${tool}, which is a tool of Amplifier. It is left out. Rename the server to use it.`;
    this.#coordinator.report({ level: 'warning', code: 'MCP_NAME_TAKEN', message, module_id: 'tool-mcp' });
  }

  /** It was taken to offer what it offered before. A list that cannot be had now leaves the one it was mounted from. */
  async #compare(client: Client, expected: Offer): Promise<void> {
    this.#expected = null;
    const { tools } = await client.listTools();
    if (JSON.stringify(tools) === JSON.stringify(expected.tools)) return;
    await storeOffer(this.config, { tools, ...this.#offers }).catch(() => {});
    this.onToolsChanged(tools);
  }

  #tellAll(error: Error | null, tools: McpTool[] | null): void {
    for (const server of usersOf(this.#connection ?? '')) server.toolsChanged(error, tools);
  }

  toolsChanged(error: Error | null, tools: McpTool[] | null): void {
    if (tools) this.onToolsChanged(tools);
    if (!error) return;
    const message = `The MCP server '${this.name}' changed its tools but could not list them: ${error.message}`;
    this.#coordinator.report({
      level: 'warning',
      code: 'MCP_SERVER_UNAVAILABLE',
      message,
      module_id: 'tool-mcp',
      error,
    });
  }
}

/** Negotiation and start of a process have limits of their own, one after the other: this ends all of it. */
function unlessStopped(work: Promise<void>, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(stop.reason);
    if (stop.aborted) onAbort();
    stop.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', onAbort));
  });
}

function hasAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
