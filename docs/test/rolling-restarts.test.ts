import { expect, it } from 'vitest';
import { read } from './pages.ts';

const page = read('docs/rolling-restarts.md');

it.each([
  ['js', 'examples/express/drain.ts'],
  ['nginx', 'examples/proxies/nginx.conf'],
  ['haproxy', 'examples/proxies/haproxy.cfg'],
])('docs/rolling-restarts.md shows the lines of the file: %s, %s', (language, file) => {
  const [, shown] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(page) ?? [];
  expect(read(file)).toContain(shown);
});

it('docs/rolling-restarts.md has at most 600 words', () => {
  expect(page.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(600);
});
