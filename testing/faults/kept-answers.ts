import type { Haystacks } from "@appserver/testing/kit";
import { type CallOptions, ConnectError } from "@connectrpc/connect";
import { type HttpRequest, send } from "../contract/http.ts";

/** Everything that was answered to callers who may see no secret, headers and refusals included. */
export class KeptAnswers {
  readonly #texts: string[] = [];

  /** Each by its number and its text: who finds something sees what it is in. */
  get places(): Haystacks {
    return Object.fromEntries(this.#texts.map((text, number) => [`answer ${number}: ${text}`, text]));
  }

  keep(answer: unknown): void {
    this.#texts.push(typeof answer === "string" ? answer : JSON.stringify(answer, numbersAsText));
  }

  /** Answers the status. */
  async http(baseUrl: string, path: string, request: HttpRequest): Promise<number> {
    const { status, headers, text } = await send(baseUrl, path, request);
    this.keep({ status, headers });
    this.keep(text);
    return status;
  }

  /** What a gRPC call answers, or how it is refused. Answers the code, 0 where it is not. */
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
