import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '@headgate/core';
import { reasonOf } from '@headgate/core/http';
import { invalid } from '@headgate/core/options';
import { type BoundsByName, checkBounds } from './bounds.ts';
import { isCrossSite } from './cross-site.ts';
import { CsrfToken } from './csrf.ts';
import { readFiles } from './files.ts';
import { headers, live } from './headers.ts';
import type { PageState, Snapshot } from './messages.ts';
import { Operator } from './operator.ts';
import { type Access, checkOptions, type DashboardOptions } from './options.ts';
import { type PageRequest, type PageResponse, plain, type Sink } from './page-request.ts';
import { Sampler } from './sampler.ts';
import { idOf, limitersOf, operablesOf } from './sources.ts';
import { hasToken, moveToken, refuse, withToken } from './viewer-token.ts';
import { message, Viewers } from './viewers.ts';

const ambiguous = 'A request must have one Host field, and no host in its target';

const readOnly = `This dashboard is read-only for you: its authorize function returns 'operate' to allow changes.`;

/** The page, its data and its stream, for any framework; `R` is the framework's request. */
export class Page<R> {
  readonly #authorize: DashboardOptions<R>['authorize'];
  readonly #sampler: Sampler;
  readonly #viewers: Viewers;
  readonly #files = readFiles();
  readonly #instance = randomBytes(12).toString('base64url');
  readonly #token = new CsrfToken();
  readonly #operator: Operator;
  readonly #bounds: BoundsByName;
  #closed = false;

  constructor(
    options: DashboardOptions<R>,
    others: readonly string[] = [],
    clock: Clock = systemClock,
  ) {
    const sources = checkOptions(options, others);
    const limiters = () => sources().flatMap(limitersOf);
    const names =
      typeof options.limits === 'function' ? undefined : limiters().map(({ name }) => name);
    this.#bounds = checkBounds(options.bounds, names);
    const find = (id: unknown) => {
      try {
        return sources()
          .flatMap(operablesOf)
          .find((each) => idOf(each) === id);
      } catch (error) {
        throw reasonOf(error);
      }
    };
    this.#operator = new Operator(find, clock, this.#bounds);
    this.#sampler = new Sampler(sources, clock);
    this.#viewers = new Viewers(this.#sampler);
    this.#authorize = options.authorize;
    this.#sampler.start();
  }

  /** Responds to a request. Rejects if `authorize` throws or rejects. */
  async respond(request: PageRequest, raw: R): Promise<PageResponse> {
    if (request.isAmbiguous) return plain(400, ambiguous, headers);
    const access = await this.#accessOf(request, raw);
    if (access === false) {
      return this.#authorize === undefined ? refuse() : plain(403, 'Forbidden', headers);
    }
    if (request.method === 'POST' && request.file === 'operate') {
      const { status, body, headers: own } = await this.#operate(request, access);
      return { status, body, headers: { ...live, ...own } };
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return plain(405, 'Method not allowed', { ...headers, Allow: 'GET, HEAD' });
    }
    return this.#get(request, access);
  }

  close(): void {
    this.#closed = true;
    this.#sampler.close();
    this.#viewers.close();
    this.#operator.close();
  }

  async #operate(request: PageRequest, access: PageState['access']): Promise<PageResponse> {
    if (access !== 'operate') return plain(403, readOnly);
    if (!this.#token.admits(request)) return plain(403, 'Reload the page, and try again');
    return this.#operator.respond(request);
  }

  async #accessOf(request: PageRequest, raw: R): Promise<Access> {
    if (this.#authorize === undefined) return hasToken(request) ? 'view' : false;
    let access: unknown;
    try {
      access = await this.#authorize(raw);
    } catch (error) {
      throw reasonOf(error);
    }
    if (access === 'view' || access === 'operate' || access === false) return access;
    throw invalid('authorize', "a function that returns 'view', 'operate' or false", access);
  }

  #get(request: PageRequest, access: PageState['access']): PageResponse {
    const { file, withoutSlash } = request;
    const search = this.#authorize === undefined ? withToken(request) : '';
    if (withoutSlash !== undefined) {
      // Relative, since a proxy may have removed a part of the path. The links of the page are relative as well.
      const location = withoutSlash === '' ? '/' : `./${withoutSlash}/`;
      return plain(302, 'Moved', { ...headers, Location: location + search });
    }
    if (file === '' && search !== '') return moveToken(request);
    if (file === 'state' || file === 'events') return this.#live(request, access);
    const found = this.#files.get(file === '' ? 'page.html' : file);
    if (found === undefined) return plain(404, 'Not found', headers);
    return { status: 200, headers: { ...headers, 'Content-Type': found.type }, body: found.text };
  }

  #live(request: PageRequest, access: PageState['access']): PageResponse {
    // Another site cannot read the answer, but could keep streams open.
    if (isCrossSite(request)) return plain(403, 'Forbidden', live);
    if (this.#closed) return plain(503, 'The dashboard is closed', live);
    const after = this.#afterOf(request);
    if (request.file === 'state') {
      const body = JSON.stringify(this.#state(this.#sampler.current, access, after));
      return { status: 200, headers: { ...live, 'Content-Type': 'application/json' }, body };
    }
    if (this.#viewers.isFull) {
      return plain(503, 'Too many open dashboards', { ...live, 'Retry-After': '60' });
    }
    const body = (sink: Sink) => {
      // Others may have joined since.
      if (this.#viewers.isFull || this.#closed) {
        sink.end();
        return () => {};
      }
      const first = this.#state(this.#sampler.current, access, after);
      sink.write(message(first));
      return this.#viewers.join(sink, first.now);
    };
    return { status: 200, headers: { ...live, 'Content-Type': 'text/event-stream' }, body };
  }

  /**
   * The time of the latest sample that the page has. 0 if another process has sent it, since that process has another
   * clock.
   */
  #afterOf(request: PageRequest): number {
    return request.query('instance') === this.#instance ? Number(request.query('after')) || 0 : 0;
  }

  #state(snapshot: Snapshot, access: PageState['access'], after: number): PageState {
    return {
      ...snapshot,
      instance: this.#instance,
      pid: process.pid,
      access,
      token: access === 'operate' ? this.#token.value : undefined,
      bounds: access === 'operate' ? Object.fromEntries(this.#bounds) : undefined,
      history: this.#sampler.history.since(after, snapshot.limits),
    };
  }
}
