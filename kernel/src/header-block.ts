/** Headers as HTTP/1.1 sends them, and what they say about the message. */
export interface HeaderLines {
  /** Each line with its line break. */
  readonly text: string;
  readonly hasDate: boolean;
  /** The value of `content-length`. */
  readonly length: string | undefined;
  readonly connection: string | undefined;
}

/** What a header cannot have: control characters, and characters that are not one byte. */
const badValue = /[^\t\x20-\x7e\x80-\xff]/;

/** `headers`: names and values, alternating. Throws RangeError for a character that cannot be sent. */
export function headerLines(headers: readonly string[]): HeaderLines {
  let text = "";
  let hasDate = false;
  let length: string | undefined;
  let connection: string | undefined;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string];
    if (badValue.test(value)) throw new RangeError(`the header ${name} has a character that cannot be sent`);
    text += `${name}: ${value}\r\n`;
    if (isNamed(name, "content-length")) length = value;
    else if (isNamed(name, "date")) hasDate = true;
    else if (isNamed(name, "connection")) connection = value;
  }
  return { text, hasDate, length, connection };
}

/** `name` has any case. */
function isNamed(name: string, lower: string): boolean {
  return name.length === lower.length && (name === lower || name.toLowerCase() === lower);
}

/** Headers that many messages share: they are written once. */
export class HeaderBlock {
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  #lines: HeaderLines | undefined;
  #isJoined = false;

  constructor(headers: readonly string[]) {
    this.headers = headers;
  }

  /** Throws as {@link headerLines}. */
  get lines(): HeaderLines {
    const lines = this.#lines;
    if (this.#isJoined && lines) return lines;
    if (!lines) {
      this.#lines = headerLines(this.headers);
      return this.#lines;
    }
    this.#isJoined = true;
    // As one piece. Otherwise each message would copy all pieces that the text was made of.
    this.#lines = { ...lines, text: Buffer.from(lines.text, "latin1").toString("latin1") };
    return this.#lines;
  }
}
