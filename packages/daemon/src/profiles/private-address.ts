import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { DaemonError } from '../daemon-error.js';

/** Addresses that lead to this machine or its own network rather than to the internet. */
const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6');

export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return isPrivateAddress(mapped);
  const family = isIP(address);
  return family === 0 || PRIVATE.check(address, family === 4 ? 'ipv4' : 'ipv6');
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
