import type { Outbound } from "@appserver/kernel/ports";
import type { ApiDocuments, DocumentSource } from "../use-cases/describe/api-descriptions.ts";

const limits = { timeoutMs: 5_000, maxBytes: 1_048_576 };

/** Reads documents with the outbound driver, which refuses addresses that apps may not have. It follows no redirects. */
export class OutboundApiDocuments implements ApiDocuments {
  readonly #outbound: Pick<Outbound, "get">;

  constructor(outbound: Pick<Outbound, "get">) {
    this.#outbound = outbound;
  }

  async read({ url, managed }: DocumentSource): Promise<Uint8Array> {
    const { status, body } = await this.#outbound.get(url, { ...limits, managed });
    if (status !== 200) throw new Error(`GET ${url} returned ${status}; expected 200`);
    return body;
  }
}
