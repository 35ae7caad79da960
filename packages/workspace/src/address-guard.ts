import { BlockList, isIP } from 'node:net';

/**
 * Ranges that are not the public internet: own machine, own network, cloud metadata, multicast, documentation, and the
 * IPv6 ranges that wrap an IPv4 address and would lead to it by another way. (An address mapped as `::ffff:127.0.0.1` is
 * judged by node as the IPv4 address it is.)
 */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** Decides whether an address may be reached: public ones, and those the operator named. */
export function addressGuard(allowed: readonly string[]): (address: string) => boolean {
  const closed = blockList(NOT_PUBLIC);
  const open = blockList(allowed);
  return (address) => {
    const family = familyOf(address);
    if (family === null) return false;
    return open.check(address, family) || !closed.check(address, family);
  };
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = familyOf(address);
    if (family === null)
      throw new Error(`'${range}' is neither an IP address nor a range such as 10.0.0.0/8.`);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address.split('%')[0] ?? '');
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : null;
}
