import { type LookupAddress, lookup } from 'node:dns';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '@amplifier/core';
import { WEBHOOK_MAX_INFORMATIONAL } from '../defaults.js';
import { isPrivateAddress } from '../profiles/private-address.js';

export interface GuardedPost {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Of the whole exchange, however steadily the receiver sends. */
  timeout_ms: number;
  clock: Clock;
  allow_private: boolean;
  signal: AbortSignal;
  /** Asks for the addresses of a name; replaced in tests. */
  resolve?: (host: string) => Promise<LookupAddress[]>;
}

/** The receiver did not respond in time. */
export class NoResponse extends Error {
  constructor(timeout_ms: number) {
    super(`no response within ${timeout_ms} ms`);
  }
}

/**
 * Sends one request and returns the status. The name is resolved once, the addresses are checked, and the connection is
 * made to those very addresses, so a name server cannot answer the check with one and the connection with another.
 * Redirects are not followed: a 3xx is an answer like any other.
 */
export function postGuarded(post: GuardedPost): Promise<number> {
  const { url, headers, body, timeout_ms, clock, signal } = post;
  const target = new URL(url);
  const refusal = literalRefusal(target, post);
  if (refusal) return Promise.reject(refusal);
  const request = target.protocol === 'https:' ? requestTls : requestPlain;
  return new Promise((resolve, reject) => {
    const sent = request(
      target,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        // A connection of its own: one that was opened for another name must not be used again.
        agent: false,
        lookup: guardedLookup(post),
        signal,
      },
      (response) => {
        // Nobody reads what the receiver has to say beyond the status.
        response.destroy();
        resolve(response.statusCode ?? 0);
      },
    );
    const cancel = clock.after(timeout_ms, () => sent.destroy(new NoResponse(timeout_ms)));
    let informational = 0;
    sent.on('information', () => {
      if (++informational > WEBHOOK_MAX_INFORMATIONAL)
        sent.destroy(new Error(`more than ${WEBHOOK_MAX_INFORMATIONAL} informational responses`));
    });
    sent.on('close', cancel);
    sent.on('error', reject);
    sent.end(body);
  });
}

function literalRefusal({ hostname }: URL, { allow_private }: GuardedPost): Error | null {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && !allow_private && isPrivateAddress(host) ? privateAddress(host, host) : null;
}

function guardedLookup({ allow_private, resolve = resolveAll }: GuardedPost): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const inside = allow_private ? undefined : addresses.find(({ address }) => isPrivateAddress(address));
        const [first] = addresses;
        if (inside) callback(privateAddress(host, inside.address), '');
        else if (!first) callback(new Error(`${host} has no address`), '');
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, ''),
    );
  };
}

function resolveAll(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

function privateAddress(host: string, address: string): Error {
  return new Error(
    `${host === address ? host : `${host} leads to ${address}, which`} is a private address, and allow_private_webhooks is off`,
  );
}
