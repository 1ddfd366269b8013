import { expect, it } from 'vitest';
import { notDone } from '../src/failure.ts';

const page = `<!doctype html>\n<html>\n  <head>\n${'    <meta />\n'.repeat(1_000)}</html>\n`;

it.each([404, 502])(
  'the error for a %i response with a page is one line of some 200 characters',
  (status) => {
    const { message, cause } = notDone({ status, text: page });
    for (const text of [message, (cause as Error).message]) {
      expect(text).toMatch(new RegExp(`${status}: <!doctype html> <html> <head> <meta />.*…$`));
      expect(text.length).toBeLessThan(200);
    }
    expect(cause).toMatchObject({ status, text: page });
  },
);

it('the error shows a short response completely', () => {
  const { message } = notDone({ status: 400, text: 'Unknown semaphore\n' });
  expect(message).toBe('the semaphore service answered 400: Unknown semaphore');
});
