import { JsonScanner } from './json-scanner.ts';

/** The tokens that a request to a model has used. */
export interface Usage {
  /** Tokens of the prompt, without those that were read from the provider's cache or written to it. */
  readonly prompt: number;
  /** Tokens of the prompt that were read from the cache. Providers charge about a tenth for them. */
  readonly cacheRead: number;
  /** Tokens of the prompt that were written to the cache. Providers charge about a quarter more for them. */
  readonly cacheWrite: number;
  /** Tokens of the answer, reasoning included: the last number that was reported, and one for each delta since. */
  readonly output: number;
}

/** OpenAI includes cached tokens in those of the prompt. Anthropic does not. */
const fields = new Map<string, keyof Usage>([
  ['usage.prompt_tokens', 'prompt'],
  ['usage.completion_tokens', 'output'],
  ['usage.prompt_tokens_details.cached_tokens', 'cacheRead'],
  ['usage.prompt_tokens_details.cache_write_tokens', 'cacheWrite'],
  ['usage.input_tokens', 'prompt'],
  ['usage.output_tokens', 'output'],
  ['usage.input_tokens_details.cached_tokens', 'cacheRead'],
  ['usage.input_tokens_details.cache_write_tokens', 'cacheWrite'],
  ['usage.cache_read_input_tokens', 'cacheRead'],
  ['usage.cache_creation_input_tokens', 'cacheWrite'],
]);

/**
 * Reads how many tokens a model's answer has used, streamed or whole, so that `permit.adjust()` can charge them. Knows
 * the APIs of OpenAI (chat completions and responses) and Anthropic (messages). It needs the same memory for an answer
 * of any length, and ignores what it does not know: error pages, comments, values that are not numbers.
 */
export class UsageReader {
  readonly #json = new JsonScanner((json) => this.#read(json));
  /** Undefined until the body has begun. */
  #isStream: boolean | undefined;
  /** How many bytes of the current line are the beginning of `data:`. -1 for another line. */
  #matched = 0;
  #deltas = 0;
  #isCounted = false;
  #includesCached = false;
  readonly #tokens: Partial<Record<keyof Usage, number>> = {};

  /**
   * Events so far that contain a part of a streamed answer: text, reasoning, or arguments of a tool. A part is about one
   * token. Most providers report the usage only at the end.
   */
  get deltas(): number {
    return this.#deltas;
  }

  /** What the provider has reported so far. Undefined until it has reported the tokens of the prompt. */
  get usage(): Usage | undefined {
    const { prompt, cacheRead = 0, cacheWrite = 0, output = 0 } = this.#tokens;
    if (prompt === undefined) return undefined;
    const included = this.#includesCached ? cacheRead + cacheWrite : 0;
    const uncached = Math.max(0, prompt - included);
    return { prompt: uncached, cacheRead, cacheWrite, output: output + this.#deltas };
  }

  /** Reads the next chunk of the body, which may begin and end anywhere. */
  push(chunk: Uint8Array | string): void {
    for (const byte of typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk) {
      // Before the body, there may be a byte order mark, or white space that keeps the connection open.
      if (this.#isStream === undefined && byte > 0x20 && byte < 0x80)
        this.#isStream = byte !== 0x7b;
      if (this.#isStream) this.#pushToLine(byte);
      else this.#json.push(byte);
    }
  }

  #pushToLine(byte: number): void {
    if (byte === 0x0a) {
      // A blank line ends an event. If the event was cut, that does not affect the next one.
      if (this.#matched === 0) {
        this.#json.reset();
        this.#isCounted = false;
      }
      this.#matched = 0;
    } else if (this.#matched === 5) this.#json.push(byte);
    else if (byte === 'data:'.charCodeAt(this.#matched)) this.#matched++;
    else if (byte !== 0x0d) this.#matched = -1;
  }

  #read(json: JsonScanner): void {
    const { path, depth } = json;
    if (!this.#isCounted && isDelta(json)) {
      this.#deltas++;
      this.#isCounted = true;
    }
    // Only these positions: a model may write the same names into the arguments of a tool.
    const from = path[1] === 'message' || path[1] === 'response' ? 2 : 1;
    if (path[from] !== 'usage' || json.isString) return;
    const name = path.slice(from, depth + 1).join('.');
    const field = fields.get(name);
    // Numbers of nine digits add up to a safe integer.
    if (field === undefined || !/^\d{1,9}$/.test(json.text)) return;
    this.#tokens[field] = Number(json.text) - (field === 'output' ? this.#deltas : 0);
    this.#includesCached ||= name.includes('_details');
  }
}

/** Whether the event of this value contains a part of an answer. */
function isDelta(json: JsonScanner): boolean {
  const { path, depth } = json;
  if (depth === 1) return path[1] === 'type' && /^content_block_delta$|\.delta$/.test(json.text);
  const isPart = path[1] === 'choices' && path[3] === 'delta' && path[4] !== 'role';
  return isPart && depth > 3 && json.isString && json.text !== '';
}
