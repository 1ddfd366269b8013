import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ipKey } from '../src/index.ts';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7%eth0', '192.0.2.7'],
  ['192.0.2.7:54321', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:54321', '192.0.2.7'],
])('an IPv4 address is its own key in every notation: %s', (address, key) => {
  expect(ipKey(address)).toBe(key);
});

it.each([
  '2001:db8:aa:bbcc::1',
  '2001:db8:aa:bb00::',
  '2001:DB8:AA:BBFF:ffff:ffff:ffff:ffff',
  '2001:0db8:00aa:bb01:0:0:0:1',
  '2001:db8:aa:bb01:1::192.0.2.7',
  '2001:db8:aa:bb01::1%eth0',
  '[2001:db8:aa:bb01::1]',
  '[2001:db8:aa:bb01::1]:54321',
])('IPv6 addresses in one /56 subnet share a key: %s', (address) => {
  expect(ipKey(address)).toBe('2001:db8:aa:bb00::/56');
});

it('IPv6 addresses of different subnets have different keys', () => {
  const addresses = ['2001:db8:aa:bc00::1', '2001:db8:ab:bb00::1', '::1', 'fe80::1'];
  expect(new Set(addresses.map((address) => ipKey(address))).size).toBe(4);
});

it.each([
  [1, '8000::/1'],
  [16, 'ffff::/16'],
  [48, 'ffff:1:2::/48'],
  [60, 'ffff:1:2:3ff0::/60'],
  [64, 'ffff:1:2:3fff::/64'],
  [128, 'ffff:1:2:3fff:4:5:6:7/128'],
])('the prefix is configurable: %s', (prefix, key) => {
  expect(ipKey('ffff:1:2:3fff:4:5:6:7', prefix)).toBe(key);
});

it('the port that a proxy appends does not change the key', () => {
  expect(ipKey('[::1]:5000')).toBe(ipKey('::1'));
  expect(ipKey('1.2.3.4:5000')).toBe(ipKey('1.2.3.4:5001'));
});

it('an unknown or empty address has a key', () => {
  expect([ipKey(undefined), ipKey('')]).toEqual(['unknown', 'unknown']);
});

describe('an invalid address is its own key', () => {
  it.each(['localhost', '::1::2', '1:2:3', '1:2:3:4:5:6:7:8:9', '12345::', 'g::1'])(
    '%j',
    (text) => {
      expect(ipKey(text)).toBe(text);
    },
  );

  it('ipKey() returns a string for any string', () => {
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...'0f:.%[]'), { maxLength: 40 }).map((all) => all.join('')),
    );
    const property = fc.property(text, (one) => {
      expect(typeof ipKey(one)).toBe('string');
    });
    fc.assert(property);
  });
});

it('for any prefix, two keys are equal exactly if the leading bits of the addresses are', () => {
  const address = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });
  const bits = (groups: number[]) =>
    groups.map((group) => group.toString(2).padStart(16, '0')).join('');
  const written = (groups: number[]) => groups.map((group) => group.toString(16)).join(':');
  fc.assert(
    fc.property(
      address,
      fc.integer({ min: 1, max: 128 }),
      fc.nat(127),
      (groups, prefix, flipped) => {
        const other = [...groups];
        const at = Math.floor(flipped / 16);
        other[at] = (other[at] as number) ^ (0x8000 >> (flipped % 16));
        const mapped = [groups, other].some((all) =>
          bits(all).startsWith(`${'0'.repeat(80)}${'1'.repeat(16)}`),
        );
        fc.pre(!mapped);
        const same = ipKey(written(groups), prefix) === ipKey(written(other), prefix);
        expect(same).toBe(flipped >= prefix);
      },
    ),
  );
});

it.each([0, 129, -1, 1.5, Number.NaN, '56'])('throws for a prefix of %s', (prefix) => {
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'prefix' };
  expect(() => ipKey('::1', prefix as number)).toThrow(expect.objectContaining(error));
});
