import { type Coordinator, errorInfo } from '@amplifier/core';
import type { Client, Tool as McpTool, Transport } from '@modelcontextprotocol/client';
import { workingDirOf } from '../session-grant.js';
import { ToolError } from '../tool-error.js';
import type { McpServerConfig } from './mcp-config.js';

/** One configured server: connected when first used, and again when the connection was lost. */
export class McpServer {
  readonly name: string;
  readonly config: McpServerConfig;
  /** Called with the server's tools when it says that they changed. */
  onToolsChanged: (tools: McpTool[]) => void = () => {};
  #coordinator: Coordinator;
  #connecting: Promise<Client> | undefined;
  #closed = false;
  #offers = { resources: false, prompts: false };

  constructor(name: string, config: McpServerConfig, coordinator: Coordinator) {
    this.name = name;
    this.config = config;
    this.#coordinator = coordinator;
  }

  /** What it offered beside tools when it was last connected. */
  get offers(): Readonly<{ resources: boolean; prompts: boolean }> {
    return this.#offers;
  }

  /** The live connection. Throws `ToolError` when there is none to be had. */
  client(): Promise<Client> {
    if (this.#closed)
      throw new ToolError('SERVER_FAILED', `The session with the MCP server '${this.name}' is over.`);
    this.#connecting ??= this.#connect();
    return this.#connecting;
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
    // One that never came up has nothing to close.
    const client = await this.#connecting?.catch(() => null);
    await client?.close();
  }

  async #connect(): Promise<Client> {
    const { Client } = await import('@modelcontextprotocol/client');
    const client = new Client(
      { name: 'amplifier', version: '0.1.0' },
      {
        versionNegotiation: { mode: 'url' in this.config ? 'auto' : 'legacy' },
        listChanged: { tools: { onChanged: (error, tools) => this.#toolsChanged(error, tools) } },
      },
    );
    client.onclose = () => {
      this.#connecting = undefined;
    };
    const transport = await this.#transport();
    try {
      await client.connect(transport, { timeout: this.config.connect_timeout_ms });
    } catch (cause) {
      this.#connecting = undefined;
      const complaint =
        'complaint' in transport && transport.complaint ? ` It wrote: ${transport.complaint}` : '';
      await transport.close();
      throw new ToolError(
        'SERVER_FAILED',
        `The MCP server '${this.name}' cannot be reached: ${errorInfo(cause).message}.${complaint}`,
        {
          cause,
          retryable: true,
        },
      );
    }
    const { resources, prompts } = client.getServerCapabilities() ?? {};
    this.#offers = { resources: resources !== undefined, prompts: prompts !== undefined };
    return client;
  }

  async #transport(): Promise<Transport> {
    if (!('url' in this.config)) {
      const { ProcessTransport } = await import('./process-transport.js');
      const coordinator = this.#coordinator;
      return new ProcessTransport(this.config, workingDirOf({ coordinator }), coordinator.clock);
    }
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { url, headers } = this.config;
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  }

  #toolsChanged(error: Error | null, tools: McpTool[] | null): void {
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
