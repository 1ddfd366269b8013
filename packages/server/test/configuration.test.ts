import { expect, it } from 'vitest';
import { parseConfiguration } from '../src/configuration/configuration.ts';

it('the highest and lowest values are exact', () => {
  const text = 'semaphores = { A = { max = 9223372036854775807, level = -2147483648 }, B = 0 }';
  const { semaphores } = parseConfiguration(text, 'x');
  expect(semaphores).toEqual({
    A: { max: 9_223_372_036_854_775_807n, level: -2_147_483_648n },
    B: 0n,
  });
});

it("the names of Object's own properties are valid names", () => {
  const text = '[semaphores]\n__proto__ = 1\nconstructor = 2\n';
  const { semaphores } = parseConfiguration(text, 'x');
  expect(Object.entries(semaphores)).toEqual([
    ['__proto__', 1n],
    ['constructor', 2n],
  ]);
});

it.each([
  ['[semaphores]\nA = 1\nB = -1\n', 'throttle.toml:3: semaphores.B must be'],
  ['[semaphores]\nA = "5"\n', 'throttle.toml:2: semaphores.A must be'],
  ['[semaphores]\nA = 1.5\n', 'throttle.toml:2: semaphores.A must be'],
  ['[semaphores]\n\n"a.b" = true\n', 'throttle.toml:3: semaphores.a.b must be'],
  ['[semaphores]\nA = [1]\n', 'throttle.toml:2: semaphores.A must be'],
  ['[semaphores.A]\nlevel = 1\n', 'throttle.toml:1: semaphores.A.max must be'],
  [
    '\n[semaphores.A]\nmax = 1\nlevel = 2147483648\n',
    'throttle.toml:4: semaphores.A.level must be',
  ],
  ['semaphores = 5\n', 'throttle.toml:1: semaphores must be a table, got 5'],
  ['[semaphores]\nA = 9223372036854775808\n', 'throttle.toml:2:'],
  ['[semaphores]\nA = 1\nA = 2\n', 'throttle.toml:3:'],
  ['[semaphores\n', 'throttle.toml:1:'],
  ['[semaphores]\nA = [\n1,\n2,\n]\nB = 1\n', 'throttle.toml:5: semaphores.A must be'],
  ['[logging.stderr]\nlevel = "LOUD"\n', 'throttle.toml:2: logging.stderr.level must be one of'],
  ['[logging.stderr]\nlevel = 3\n', 'throttle.toml:2: logging.stderr.level must be'],
  ['[server]\nmax_peers = 0\n', 'throttle.toml:2: server.max_peers must be'],
  ['[server]\ncertificate = "x.pem"\n', 'throttle.toml:1: server.key must be given'],
])('the configuration %j is refused', (text, message) => {
  expect(() => parseConfiguration(text, 'throttle.toml')).toThrow(message);
});

it('an error at the end of a large file is located quickly', () => {
  const semaphores = Array.from({ length: 20_000 }, (_, i) => `s${i} = 1\n`).join('');
  const text = `[semaphores]\n${semaphores}bad = -1\n`;
  // A linear search for the line would take minutes, longer than the test's timeout.
  expect(() => parseConfiguration(text, 'x')).toThrow('x:20002: semaphores.bad must be');
});
