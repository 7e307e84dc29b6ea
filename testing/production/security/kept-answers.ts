import type { SearchedTexts } from "@appserver/testing/kit";
import { type HttpRequest, send } from "@appserver/testing/kit";
import { type CallOptions, ConnectError } from "@connectrpc/connect";

/** Keeps every response to callers without access to secrets, including headers and errors. */
export class KeptAnswers {
  readonly #texts: string[] = [];

  /** Each response by its number and its text, so that a finding shows its context. */
  get places(): SearchedTexts {
    return Object.fromEntries(this.#texts.map((text, number) => [`answer ${number}: ${text}`, text]));
  }

  /** The text of the last response. */
  get last(): string {
    return this.#texts.at(-1) ?? "";
  }

  keep(answer: unknown): void {
    this.#texts.push(typeof answer === "string" ? answer : JSON.stringify(answer, numbersAsText));
  }

  /** Returns the status. */
  async http(baseUrl: string, path: string, request: HttpRequest): Promise<number> {
    const { status, headers, text } = await send(baseUrl, path, request);
    this.keep({ status, headers });
    this.keep(text);
    return status;
  }

  /** Keeps the response or the error of a gRPC call. Returns the code, which is 0 on success. */
  async grpc(call: (options: CallOptions) => Promise<unknown>): Promise<number> {
    const keepHeaders = (headers: Headers): void => this.keep([...headers]);
    try {
      this.keep(await call({ onHeader: keepHeaders, onTrailer: keepHeaders }));
      return 0;
    } catch (error) {
      const { code, rawMessage, details, metadata } = ConnectError.from(error);
      this.keep({ rawMessage, metadata: [...metadata] });
      for (const { value } of details as readonly { readonly value: Uint8Array }[]) this.keep(Buffer.from(value).toString());
      return code;
    }
  }
}

function numbersAsText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
