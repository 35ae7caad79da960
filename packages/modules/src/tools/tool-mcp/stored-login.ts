import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { ToolError } from '../tool-error.js';

/** What is kept of a login at one server. */
interface Login {
  client?: StoredOAuthClientInformation | undefined;
  tokens?: StoredOAuthTokens | undefined;
}

export interface LoginOptions {
  /** Where logins are kept: a folder of the user's home that no session reads. */
  folder: string;
  url: string;
  /** How the server is called by its user. */
  name: string;
}

/** Where a person can be sent to sign in. */
export interface SignIn {
  /** Where the server sends them back to. */
  redirectUrl: string;
  /** Shows or opens the address. */
  open(url: URL): void;
}

/**
 * The login of a user at an MCP server, by OAuth: its tokens are used and renewed by every session, got by
 * `amplifier mcp-server login`. Without a person to sign in, the failure says which command does.
 */
export class StoredLogin implements OAuthClientProvider {
  readonly #options: LoginOptions;
  readonly #signIn: SignIn | null;
  readonly #state = randomUUID();
  #verifier = '';

  constructor(options: LoginOptions, signIn: SignIn | null = null) {
    this.#options = options;
    this.#signIn = signIn;
  }

  get redirectUrl(): string {
    return this.#signIn?.redirectUrl ?? 'http://127.0.0.1/callback';
  }

  get clientMetadata() {
    return {
      client_name: 'Amplifier',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.#state;
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    return (await this.#read()).client;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    await this.#write({ ...(await this.#read()), client });
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    return (await this.#read()).tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    await this.#write({ ...(await this.#read()), tokens });
  }

  redirectToAuthorization(url: URL): void {
    const { name } = this.#options;
    const message = `The MCP server '${name}' wants you to sign in. Run: amplifier mcp-server login ${name}`;
    if (!this.#signIn) throw new ToolError('SERVER_FAILED', message);
    this.#signIn.open(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const { client, tokens } = await this.#read();
    if (what === 'all') await this.#write({});
    if (what === 'client') await this.#write({ tokens });
    if (what === 'tokens') await this.#write({ client });
  }

  async #read(): Promise<Login> {
    try {
      return JSON.parse(await readFile(this.#file, 'utf8')) as Login;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      const message = `The login at the MCP server '${this.#options.name}' cannot be read from ${this.#file}. Sign in again: amplifier mcp-server login ${this.#options.name}`;
      throw new ToolError('SERVER_FAILED', message, { cause: error });
    }
  }

  async #write(login: Login): Promise<void> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    const staging = join(this.#options.folder, `${randomUUID()}.tmp`);
    await writeFile(staging, JSON.stringify(login), { mode: 0o600, flag: 'wx' });
    await rename(staging, this.#file);
  }

  /** By its address: a server of the same name elsewhere gets nothing. */
  get #file(): string {
    const digest = createHash('sha256').update(this.#options.url).digest('hex').slice(0, 32);
    return join(this.#options.folder, `${digest}.json`);
  }
}
