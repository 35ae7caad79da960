import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { addressGuard } from '@amplifier/workspace';
import { DaemonError } from '../daemon-error.js';

const isPublic = addressGuard([]);

/** Leads to this machine or its own network rather than to the internet, or is no address. */
export function isPrivateAddress(address: string): boolean {
  return !isPublic(address);
}

type LookUp = (host: string, options: { all: true }) => Promise<readonly { address: string }[]>;

/** Rejects a URL whose host is, or resolves to, a private address, so that a ref cannot look into the network it runs in. */
export async function refusePrivateUrl(url: URL, lookUp: LookUp = lookup): Promise<void> {
  if (url.protocol === 'file:') throw refused(url, 'it is a file of this machine');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) {
    if (isPrivateAddress(host)) throw refused(url, `${host} is a private address`);
    return;
  }
  const found = await lookUp(host, { all: true }).catch(() => {
    throw refused(url, `where ${host} leads cannot be looked up`);
  });
  const inside = found.find(({ address }) => isPrivateAddress(address));
  if (inside) throw refused(url, `${host} leads to the private address ${inside.address}`);
}

function refused(url: URL, why: string): DaemonError {
  return new DaemonError(
    'INVALID_SOURCE',
    `Nothing is fetched from ${url.protocol}//${url.host}: ${why}. The operator can allow it with allow_private_refs.`,
  );
}
