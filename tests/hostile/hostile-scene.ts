import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import { FakeModelServer, TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import type { Trap, WayIn } from './way-in.js';

/**
 * A user with keys and secrets, a repository that is out for them, and everything that shows whether it got anywhere: a marker
 * file for each way in, a port that nobody should call, canaries that should turn up nowhere.
 */
export class HostileScene implements AsyncDisposable {
  /** The repository as it was cloned. */
  readonly folder: TempGitRepo;
  /** `HOME` of the user; below it `.amplifier`. */
  readonly user: TempWorkspace;
  readonly model: FakeModelServer;
  /** What must not get out. */
  readonly canaries: Readonly<Record<'key' | 'file' | 'variable', string>>;
  readonly #outside: TempWorkspace;
  readonly #port: Server;
  readonly #calls: { path: string; text: string }[] = [];
  readonly #ways: readonly WayIn[];

  private constructor(
    folder: TempGitRepo,
    user: TempWorkspace,
    outside: TempWorkspace,
    model: FakeModelServer,
    ways: readonly WayIn[],
  ) {
    this.folder = folder;
    this.user = user;
    this.#outside = outside;
    this.model = model;
    this.#ways = ways;
    const canary = (name: string) => `canary-${name}-${randomBytes(12).toString('hex')}`;
    this.canaries = { key: canary('key'), file: canary('file'), variable: canary('variable') };
    this.#port = createServer((request, response) => {
      let text = `${request.url} ${JSON.stringify(request.headers)} `;
      request.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      request.on('end', () => {
        this.#calls.push({ path: request.url ?? '', text });
        response.end('{}');
      });
    });
  }

  /** One repository with all the ways in it. */
  static async create(ways: readonly WayIn[]): Promise<HostileScene> {
    const [folder, user, outside, model] = await Promise.all([
      TempGitRepo.create({ 'README.md': 'A friendly repository.\n' }),
      TempWorkspace.create(),
      TempWorkspace.create(),
      FakeModelServer.start(),
    ]);
    const scene = new HostileScene(folder, user, outside, model, ways);
    await new Promise<void>((resolve) => scene.#port.listen(0, '127.0.0.1', resolve));
    await scene.#prepare();
    return scene;
  }

  get home(): string {
    return this.user.resolve('.amplifier');
  }

  /** The environment of the user's programs. */
  get environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.user.path,
      AMPLIFIER_HOME: this.home,
      ANTHROPIC_API_KEY: this.canaries.key,
      ANTHROPIC_BASE_URL: `${this.model.url}/v1`,
      HOSTILE_CANARY: this.canaries.variable,
      NO_COLOR: '1',
    };
  }

  trapOf({ name }: WayIn): Trap {
    const marker = this.#outside.resolve('markers', name);
    const url = `http://127.0.0.1:${(this.#port.address() as AddressInfo).port}/${name}`;
    return {
      marker,
      url,
      command: `touch '${marker}'; curl -s -m 2 '${url}' >/dev/null 2>&1 || true`,
      secretFile: this.user.resolve('.ssh', 'id_rsa'),
      secretVariable: 'HOSTILE_CANARY',
      folder: this.folder.path,
    };
  }

  /** Asks the model for everything the ways in want of it, one after the other, and ends with `Hello.` */
  get prompt(): string {
    const asked = this.#ways.flatMap((way) => way.prompt?.(this.trapOf(way)) ?? []);
    return [...asked, '!say Hello.'].join('\n!then\n');
  }

  /** What got out, one line each; `shown` is what the entry point said. Nothing is the only good answer. */
  async leaks(...shown: string[]): Promise<string[]> {
    const found: string[] = [];
    for (const way of this.#ways) await way.finish?.(this.trapOf(way), this);
    for (const name of await readdir(this.#outside.resolve('markers'))) found.push(`${name}: its marker`);
    for (const { path } of this.#calls) found.push(`${path.slice(1).split(/[/?]/)[0]}: the port was called`);
    const places: [string, string][] = [
      ...this.#calls.map(({ text }): [string, string] => ['the port', text]),
      ...this.model.exchanges.map(({ body }): [string, string] => ['the model', JSON.stringify(body)]),
      ...shown.map((text): [string, string] => ['the output', text]),
      ...(await this.#records()),
    ];
    for (const [kind, canary] of Object.entries(this.canaries)) {
      const at = [...new Set(places.filter(([, text]) => text.includes(canary)).map(([place]) => place))];
      found.push(...at.map((place) => `the canary of the ${kind} reached ${place}`));
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
    if (shown.some((text) => /[\u001b\u0007\u009b\u009d\u202a-\u202e\u2066-\u2069]/.test(text)))
      found.push('a control character reached the output as it is');
    return [...new Set(found)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#port.closeAllConnections();
    await new Promise((resolve) => this.#port.close(resolve));
    await this.model[Symbol.asyncDispose]();
    for (const place of [this.folder, this.user, this.#outside]) await place[Symbol.asyncDispose]();
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#outside.resolve('markers'));
    await this.user.write('.ssh/id_rsa', `${this.canaries.file}\n`);
    await this.user.write('.amplifier/keys.env', `TEST_SERVICE_KEY=${this.canaries.file}\n`);
    let settings: JsonObject = {};
    for (const way of this.#ways) {
      const trap = this.trapOf(way);
      for (const [file, text] of Object.entries(way.files?.(trap) ?? {})) await this.folder.write(file, text);
      settings = laidOver(settings, way.settings?.(trap) ?? {});
    }
    if (Object.keys(settings).length > 0)
      await this.folder.write('.amplifier/settings.yaml', JSON.stringify(settings, null, 2));
    await this.folder.commit('hostile');
    for (const way of this.#ways) await way.prepare?.(this.trapOf(way), this);
  }

  /** Everything the user's programs wrote about what happened. */
  async #records(): Promise<[string, string][]> {
    const names = await readdir(this.home, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = names.filter((entry) => entry.isFile() && entry.name !== 'keys.env');
    return Promise.all(
      files.map(async (entry): Promise<[string, string]> => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(this.home.length + 1), await readFile(path, 'latin1').catch(() => '')];
      }),
    );
  }
}

function laidOver(first: JsonObject, second: JsonObject): JsonObject {
  const joined: JsonObject = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const before = joined[key];
    if (Array.isArray(before) && Array.isArray(value)) joined[key] = [...before, ...value];
    else if (isPlainObject(before) && isPlainObject(value)) joined[key] = laidOver(before, value);
    else joined[key] = value;
  }
  return joined;
}
