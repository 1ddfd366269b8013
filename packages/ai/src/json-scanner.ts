// Longer keys and values are cut, and deeper keys are not kept, so that the memory is bounded.
const MAX_LENGTH = 64;
const MAX_DEPTH = 5;

/**
 * Reports the values of a JSON text, which arrives byte by byte, with their paths. Keeps nothing but the current path
 * and value, so a text of any length needs the same memory. Errors of syntax are ignored.
 */
export class JsonScanner {
  /** `path[depth]` is the key of the current value, and `path[1]` that of the outermost object. Arrays have empty keys. */
  readonly path: string[] = [];
  depth = 0;
  /** Whether the current value is a string. */
  isString = false;
  #isOpen = false;
  #isEscaped = false;
  readonly #bytes = new Uint8Array(MAX_LENGTH);
  #length = 0;

  constructor(private readonly onValue: (scanner: JsonScanner) => void) {}

  /** The current value, not decoded: its readers compare it with names, and look for digits. */
  get text(): string {
    return String.fromCharCode(...this.#bytes.subarray(0, this.#length));
  }

  /** Forgets the text so far. */
  reset(): void {
    this.depth = 0;
    this.#begin(false);
  }

  push(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (!this.#isOpen) this.#pushOutside(byte);
    else if (byte === 0x22) this.#isOpen = false;
    else if (byte === 0x5c) this.#isEscaped = true;
    else this.#keep(byte);
  }

  #pushOutside(byte: number): void {
    const char = String.fromCharCode(byte);
    if (char === '"') this.#begin(true);
    else if (char === ':') this.#setKey(this.text);
    else if (char === '{' || char === '[') {
      this.depth++;
      this.#setKey('');
    } else if (char === ',' || char === '}' || char === ']') {
      if (this.isString || this.#length > 0) this.onValue(this);
      if (char !== ',' && this.depth > 0) this.depth--;
      this.#begin(false);
    } else if (byte > 0x20) this.#keep(byte); // not white space
  }

  #setKey(key: string): void {
    if (this.depth <= MAX_DEPTH) this.path[this.depth] = key;
    this.#begin(false);
  }

  #begin(isString: boolean): void {
    this.isString = isString;
    this.#isOpen = isString;
    this.#isEscaped = false;
    this.#length = 0;
  }

  #keep(byte: number): void {
    if (this.#length < MAX_LENGTH) this.#bytes[this.#length++] = byte;
  }
}
