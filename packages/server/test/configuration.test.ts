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

it.each([
  ['semaphores = 5\n', ', got 5'],
  ['[semaphores]\nB = -1\n', ', got -1'],
  ['[semaphores]\nA = { max = 1, level = 2147483648 }\n', ', got 2147483648'],
  ['[server]\nmax_peers = 0\n', ', got 0'],
])('a whole number is shown as the file has it: %j', (text, end) => {
  expect(() => parseConfiguration(text, 'x')).toThrow(new RegExp(`${end}$`));
});

it.each([
  ['[server]\ntokn = "x"\n', 'x:2: [server] has no key "tokn"; did you mean "token"?'],
  [
    '[server]\nbanner = "x"\n',
    'x:2: [server] has no key "banner"; it knows token, certificate, key',
  ],
  [
    '\n[Server]\ntoken = "x"\n',
    'x:2: the configuration has no key "Server"; did you mean "server"?',
  ],
  [
    '[semafores]\nA = 1\n',
    'x:1: the configuration has no key "semafores"; did you mean "semaphores"?',
  ],
  ['token = "x"\n', 'x:1: the configuration has no key "token"; did you mean "server.token"?'],
  ['[semaphores.A]\nmax = 1\ntoken = "x"\n', 'x:3: [semaphores.A] has no key "token"'],
  ['[semaphores]\nA = { max = 1, levl = 2 }\n', 'x:2: [semaphores.A] has no key "levl"; did you'],
  [
    '[logging.stdert]\nlevel = "INFO"\n',
    'x:1: [logging] has no key "stdert"; did you mean "stderr"?',
  ],
  ['[logging.stderr]\nlevle = "INFO"\n', 'x:2: [logging.stderr] has no key "levle"; did you mean'],
])('a misspelt key is refused with its line: %j', (text, message) => {
  expect(() => parseConfiguration(text, 'x')).toThrow(message);
});

it('a key that resembles no known one is ignored with a warning that names its line', () => {
  const text =
    'litter_collection_interval = "5m"\nunknown = 1\n[semaphores.A]\nmax = 1\ncolor = "red"\n';
  expect(parseConfiguration(text, 'x').warnings).toEqual([
    'x:2: the key "unknown" is unknown and ignored',
    'x:5: the key "semaphores.A.color" is unknown and ignored',
  ]);
});

it('the keys of pacman82/throttle are accepted without a warning', () => {
  const gelf = '[logging.gelf]\nname = "n"\nhost = "h"\nport = 12201\nlevel = "INFO"\n';
  const text = `litter_collection_interval = "100ms"\n[semaphores]\nA = 42\n${gelf}`;
  expect(parseConfiguration(text, 'x').warnings).toEqual([]);
});

it('the warning about many unknown keys names ten of them', () => {
  const text = Array.from({ length: 12 }, (_, i) => `unknown${i} = 1\n`).join('');
  const { warnings } = parseConfiguration(text, 'x');
  expect(warnings).toHaveLength(11);
  expect(warnings.at(-1)).toBe('x: 2 more keys are unknown and ignored');
});

it('an error at the end of a large file is located quickly', () => {
  const semaphores = Array.from({ length: 20_000 }, (_, i) => `s${i} = 1\n`).join('');
  const text = `[semaphores]\n${semaphores}bad = -1\n`;
  // A linear search for the line would take minutes, longer than the test's timeout.
  expect(() => parseConfiguration(text, 'x')).toThrow('x:20002: semaphores.bad must be');
});

it('a key after a value of many lines is named without its line, which would take long to find', () => {
  const text = `notes = """\n${'text\n'.repeat(4_000)}"""\n`;
  // Parsing each beginning of the value would take a quarter of a minute, longer than the test's timeout.
  const { warnings } = parseConfiguration(text, 'x');
  expect(warnings).toEqual(['x: the key "notes" is unknown and ignored']);
});
