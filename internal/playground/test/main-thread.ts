import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

const categories = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];

/**
 * Milliseconds of CPU time of each task of the page's main thread during an action. Unlike the time that has passed, it
 * does not depend on other processes.
 */
export async function tasksDuring(
  browser: Browser,
  page: Page,
  action: () => Promise<void>,
): Promise<number[]> {
  await browser.startTracing(page, { categories });
  await action();
  const trace = await browser.stopTracing();
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const isMain = ({ name, args }: TraceEvent) =>
    name === 'thread_name' && args.name === 'CrRendererMain';
  const main = new Set(traceEvents.filter(isMain).map(threadOf));
  return traceEvents.flatMap((event) => {
    const isTask = event.name.endsWith('RunTask') && main.has(threadOf(event));
    return isTask && event.tdur !== undefined ? [event.tdur / 1000] : [];
  });
}
