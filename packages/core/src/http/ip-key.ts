import { invalid } from '../errors.ts';

/**
 * Returns the key for a client's address. An IPv4 address is its own key, even if mapped to IPv6 (`::ffff:1.2.3.4`). An
 * IPv6 address is reduced to its subnet, since one client can use every address of a subnet. A port is dropped. Clients
 * with an unknown or empty address share one key. Pass an address that only your own proxies can set (Express: `trust
 * proxy`, Koa: `app.proxy`).
 *
 * @param prefix Number of bits of an IPv6 address that identify the subnet: a whole number from 1 to 128. Default: 56.
 * @throws HeadgateError for any other prefix, and for an address that is not a string.
 */
export function ipKey(address: string | undefined, prefix = 56): string {
  if (!(Number.isInteger(prefix) && prefix >= 1 && prefix <= 128))
    throw invalid('prefix', 'a whole number from 1 to 128', prefix);
  if (address === undefined || address === '') return 'unknown';
  if (typeof address !== 'string') throw invalid('address', 'a string or undefined', address);
  // Some proxies append the port, which would give every connection its own key.
  const host = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1');
  const [bare = ''] = host.toLowerCase().split('%');
  if (!bare.includes(':')) return bare;
  const groups = parse(bare);
  if (groups === undefined) return bare;
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return `${subnet(groups, prefix)}/${prefix}`;
}

function subnet(groups: readonly number[], prefix: number): string {
  const masked = groups.map((group, index) => {
    const bits = Math.min(16, Math.max(0, prefix - 16 * index));
    return group & (0xffff << (16 - bits)) & 0xffff;
  });
  const kept = masked.slice(0, Math.ceil(prefix / 16)).map((group) => group.toString(16));
  return kept.length === 8 ? kept.join(':') : `${kept.join(':')}::`;
}

/** The eight groups of an IPv6 address, or undefined if it is not one. */
function parse(address: string): number[] | undefined {
  const [head = '', tail, ...more] = address.split('::');
  if (more.length > 0) return undefined;
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 0) return undefined;
  const groups = [...before, ...Array<number>(missing).fill(0), ...after];
  return groups.every((group) => group >= 0 && group <= 0xffff) ? groups : undefined;
}

function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.'))
      return /^[0-9a-f]{1,4}$/.test(group) ? [Number.parseInt(group, 16)] : [-1];
    const [a = -1, b = -1, c = -1, d = -1] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
