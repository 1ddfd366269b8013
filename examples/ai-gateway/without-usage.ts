// Removes the event with the usage from a stream of OpenAI, for clients that have not asked for it.

/** That event is short. A longer one is passed on as it arrives. */
const MAX_EVENT = 65_536;

export async function* withoutUsage(body: AsyncIterable<Uint8Array>) {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    // Some servers end lines with `\r\n`.
    const events = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) if (!isUsage(event)) yield encoder.encode(`${event}\n\n`);
    if (rest.length > MAX_EVENT) {
      yield encoder.encode(rest);
      rest = '';
    }
  }
  if (rest !== '') yield encoder.encode(rest);
}

/** In the text of an answer, the quotation marks would be escaped. */
function isUsage(event: string): boolean {
  return /"choices": ?\[\]/.test(event) && /"usage": ?\{/.test(event);
}
