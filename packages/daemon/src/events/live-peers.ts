import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { hostname } from 'node:os';
import {
  type Clock,
  everySoOften,
  type LiveText,
  type LoopHealth,
  type Report,
  SupervisedLoop,
} from '@amplifier/core';
import type { SqlShelf } from '@amplifier/sessions';
import { hearLiveText } from '@amplifier/sessions/record';
import { PEER_LOOK_MS, PEER_MS } from '../defaults.js';

export interface LivePeersOptions {
  shelf: SqlShelf;
  clock: Clock;
  report: Report;
}

interface Peer {
  id: string;
  url: string;
}

const KIND = 'daemon';
const SECRET = 'secret of daemons';

/**
 * The other daemons of a record on a server. What a session is saying is known where it runs: whoever reads along elsewhere asks there,
 * because the database is told of whole messages only.
 */
export class LivePeers {
  readonly #options: LivePeersOptions;
  readonly #id = randomUUID();
  readonly #stop = new AbortController();
  readonly #loop: SupervisedLoop<string>;
  #secret = '';
  #url = '';

  constructor(options: LivePeersOptions) {
    this.#options = options;
    const { clock, report } = options;
    this.#loop = new SupervisedLoop<string>({
      name: 'announcement to other daemons',
      clock,
      report,
      items: (signal) => everySoOften(clock, PEER_MS / 3, () => [this.#url], signal),
      serve: (url) => this.#announce(url),
      nameOf: (url) => url,
    });
  }

  get health(): LoopHealth[] {
    return this.#url === '' ? [] : [this.#loop.health];
  }

  /** From now on others find this daemon here. */
  async announce(url: string): Promise<void> {
    const { shelf } = this.#options;
    await shelf.add(SECRET, SECRET, randomBytes(32).toString('base64url'));
    this.#secret = (await shelf.get<string>(SECRET, SECRET)) ?? '';
    this.#url = url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, `//${hostname()}`);
    await this.#announce(this.#url);
    void this.#loop.run(this.#stop.signal);
  }

  /** Is it another daemon of the record that asks? */
  isPeer(token: string): boolean {
    const [given, wanted] = [Buffer.from(token), Buffer.from(this.#secret)];
    return wanted.length > 0 && given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#url !== '') await this.#options.shelf.remove(KIND, this.#id);
  }

  /** Puts what the others say into `live`, until the returned function is called. */
  follow(live: LiveText, isOwn: (session_id: string) => boolean): () => void {
    const { shelf } = this.#options;
    const heard = new Map<string, () => void>();
    let isStopped = false;
    const look = async () => {
      for (const { id, url } of await shelf.all<Peer>(KIND)) {
        if (isStopped || id === this.#id || heard.has(id)) continue;
        heard.set(
          id,
          this.#listenTo(url, live, isOwn, () => heard.delete(id)),
        );
      }
    };
    // One that cannot be asked now is asked again; what is stored comes another way.
    const lookNow = () => void look().catch(() => {});
    const timer = setInterval(lookNow, PEER_LOOK_MS).unref();
    const unwatch = shelf.watch(KIND, lookNow);
    lookNow();
    return () => {
      isStopped = true;
      clearInterval(timer);
      unwatch();
      for (const stop of heard.values()) stop();
    };
  }

  #listenTo(
    url: string,
    live: LiveText,
    isOwn: (session_id: string) => boolean,
    onClosed: () => void,
  ): () => void {
    const { take, end } = hearLiveText(live, isOwn);
    const send = url.startsWith('https:') ? tlsRequest : plainRequest;
    const over = () => {
      end();
      onClosed();
    };
    // Whatever its address is called, it answers to this name.
    const headers = { authorization: `Bearer ${this.#secret}`, host: 'localhost' };
    const request = send(`${url}/api/v1/live`, { headers }, (response: IncomingMessage) => {
      if (response.statusCode !== 200) return void request.destroy();
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (!take(text)) request.destroy();
      });
    });
    request.on('error', () => {});
    request.on('close', over);
    request.end();
    return () => request.destroy();
  }

  async #announce(url: string): Promise<void> {
    const { shelf, clock } = this.#options;
    const peer: Peer = { id: this.#id, url };
    await shelf.put(KIND, this.#id, peer, clock.now() + PEER_MS);
  }
}
