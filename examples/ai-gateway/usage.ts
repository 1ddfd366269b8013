// Counts the tokens of an answer, in the formats of OpenAI and Anthropic, streamed or not.

interface Counts {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
}

/** The fields that are read of an event, or of a whole answer. */
interface Data {
  readonly type?: string;
  readonly usage?: Counts | null;
  readonly message?: { readonly usage?: Counts };
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
}

export class Usage {
  #input: number;
  #output = 0;
  /** Whether a token has arrived of a streamed answer. */
  hasBegun = false;

  /** @param prompt Estimated tokens of the prompt, until the provider reports them. */
  constructor(prompt: number) {
    this.#input = prompt;
  }

  get tokens(): number {
    return this.#input + this.#output;
  }

  /** Adds an event or a whole answer. Returns whether it contains nothing but OpenAI's final usage. */
  add(text: string): boolean {
    const { type, message, choices, usage = message?.usage }: Data = dataIn(text);
    if (type === 'content_block_delta' || choices?.[0]?.delta?.content) {
      // An event has about one token. The final event has the exact number.
      this.#output++;
      this.hasBegun = true;
    }
    this.#input = usage?.prompt_tokens ?? usage?.input_tokens ?? this.#input;
    this.#output = usage?.completion_tokens ?? usage?.output_tokens ?? this.#output;
    return choices?.length === 0 && usage != null;
  }
}

/** Returns nothing for other text, such as the error page of a proxy or `[DONE]`. */
function dataIn(text: string): Data {
  const json = /^data: ?([^\r\n]*)/m.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(json) ?? {};
  } catch {
    return {};
  }
}
