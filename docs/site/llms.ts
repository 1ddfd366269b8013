import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groups, pagesOf } from './groups.ts';
import { siteLink } from './links.ts';
import { read, titleOf, userPages } from './pages.ts';
import { sourceTexts } from './source-files.ts';
import { tabFiles } from './tabs.ts';

/** The size of the documentation that a model can read at once, in tokens. */
export const MAX_TOKENS = 90_000;

/** An approximation for English text and code, so that no tokenizer is needed. */
const CHARACTERS_PER_TOKEN = 4;

/** The example at the top, which must compile. */
export const example = `import { concurrencyLimit, ipKey } from '@headgate/express';
import express from 'express';

const app = express();

app.use(concurrencyLimit()); // the whole app: adapts to the server

// At most 4 PDFs at a time. Others wait: at most 20 of them, for at most 2 seconds each.
app.post('/pdf', concurrencyLimit({ name: 'pdf', limit: 4, queueLimit: 20, queueTimeout: 2_000 }), (_req, res) => {
  res.send('A PDF');
});

// Instead of the first: each tenant at most 2 at a time and 10 waiting, or 10 at a time if it
// pays, and all tenants together at most 20.
// In TypeScript, declare what your authentication sets:
declare global {
  namespace Express {
    interface Request {
      account?: { id: string; plan: 'free' | 'paid' };
    }
  }
}

app.use(
  concurrencyLimit({
    limits: [
      {
        name: 'tenant',
        limit: (req) => (req.account?.plan === 'paid' ? 10 : 2),
        queueLimit: 10,
        key: (req) => req.account?.id ?? ipKey(req.ip), // if key returns undefined, the limit does not apply
        statusCode: 429,
      },
      { name: 'total', limit: 20 },
    ],
    queueTimeout: 2_000, // of the whole request; queueLimit may be set per limit
  }),
);`;

/** How the other frameworks register the same middleware. */
const OTHERS = `Fastify: await app.register(concurrencyLimit({ … })), before the routes. Hono: app.use(concurrencyLimit<Env>({ … })).
Koa: app.use(concurrencyLimit({ … })). NestJS: ConcurrencyLimitModule.forRoot({ … }). node:http: createServer(limit(listener)).
Each package exports the same names. key, limit and skip get the framework's request; in Hono and Koa, its context.`;

const INTRODUCTION = `# Headgate

> Concurrency limits and load shedding for Node servers (Express, Fastify, NestJS, Koa, Hono, node:http, web-standard
> handlers) and for any async function. Requests beyond the limit wait in a short queue; requests that cannot be served
> in time are rejected with 503 and Retry-After.

    npm install @headgate/express express   # or fastify, koa, hono, nestjs, node, web

${example.replaceAll(/^(?=.)/gm, '    ')}

${OTHERS}`;

export function tokensIn(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** A page without its images, with links that work on the site. */
function textOf(page: string): string {
  const text = read(page).replace(/^!\[[^\]]*\]\([^)]*\)$/gm, '');
  return text.replace(/(\]\()([^)\s]+)(\))/g, (_, open, link, close) => {
    // Decisions and measurements are on the site as HTML only; examples also as they are.
    const target = siteLink(`${page}.md`, link)
      .replace(/^((?:decisions|lab)\/.*|source\/examples\/index)\.md/, '$1.html')
      .replace(/^(source\/.*)\.md/, '$1');
    return open + target + close;
  });
}

/** The first sentence of a page. */
export function summaryOf(page: string): string {
  const [, paragraph = ''] = /^# .*\n+((?:(?!```)[^\n#|!<-].*\n)+)/m.exec(read(page)) ?? [];
  const plain = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ');
  const [sentence = ''] = /^.*?(?:[.?](?= |$)|:$)/.exec(plain.trim()) ?? [];
  return sentence.replace(/:$/, '.');
}

/** The index: a link and a sentence for each page. */
export function indexForModels(): string {
  const sections = groups.map((group) => {
    const lines = pagesOf(group).map(
      (page) => `- [${titleOf(read(page))}](${page}.md): ${summaryOf(page)}`,
    );
    return `## ${group.title}\n\n${lines.join('\n')}`;
  });
  const full = '[All of these pages in one file](llms-full.txt)';
  return `${[INTRODUCTION, full, ...sections].join('\n\n')}\n`;
}

/** All pages in one text. */
export function textForModels(): string {
  const texts = groups.flatMap(pagesOf).map((page) => textOf(page).trim());
  return `${[INTRODUCTION, ...texts].join('\n\n')}\n`;
}

/**
 * Writes `llms.txt`, `llms-full.txt`, the Markdown of each user page and the examples into the folder of the site.
 *
 * @throws if `llms-full.txt` has more than 90,000 tokens.
 */
export function writeTextsForModels(folder: string): void {
  const full = textForModels();
  if (tokensIn(full) > MAX_TOKENS)
    throw new Error(
      `llms-full.txt has ${tokensIn(full)} tokens; at most ${MAX_TOKENS} are allowed.`,
    );
  const write = (file: string, text: string) => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  write('llms.txt', indexForModels());
  write('llms-full.txt', full);
  for (const page of [...userPages(), ...tabFiles()]) write(`${page}.md`, textOf(page));
  for (const [path, text] of sourceTexts()) write(`source/${path}`, `${text}\n`);
}
