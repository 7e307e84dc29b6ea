import type { KeyObject } from "node:crypto";
import { forwardSignature, forwardSignatureHeader, type MissingForwardKey } from "@appserver/contracts/forwarding";
import type { Clock } from "@appserver/kernel";
import type { Outbound } from "@appserver/kernel/ports";
import type { DescribedApp, DocumentSource } from "../domain/api-description/description-reading.ts";
import type { ApiDocuments } from "../ports.ts";

const limits = { timeoutMs: 5_000, maxBytes: 1_048_576 };

const unsigned = {
  awaited: "the secret that signs requests to the backend is not there yet",
  unreadable: "the secret that signs requests to the backend cannot be read",
} as const;

/** The secrets that the platform shares with backends, to sign what it sends (docs/interface/proxy.md#forward-signature). */
export interface DocumentKeys {
  of(app: DescribedApp, managed: boolean): Promise<KeyObject | MissingForwardKey>;
}

export interface OutboundApiDocumentsDeps {
  readonly outbound: Pick<Outbound, "get">;
  readonly keys: DocumentKeys;
  readonly clock: Clock;
}

/** Reads documents with the outbound driver, which refuses addresses that apps may not have. It follows no redirects. */
export class OutboundApiDocuments implements ApiDocuments {
  readonly #deps: OutboundApiDocumentsDeps;

  constructor(deps: OutboundApiDocumentsDeps) {
    this.#deps = deps;
  }

  async read(source: DocumentSource, app: DescribedApp): Promise<Uint8Array> {
    const { url, managed } = source;
    const headers = source.isBackend ? await this.#signature(source, app) : {};
    const { status, body } = await this.#deps.outbound.get(url, { ...limits, managed, headers });
    if (status !== 200) throw new Error(`GET ${url} returned ${status}; expected 200`);
    return body;
  }

  /** As that of a request without a caller. */
  async #signature({ url, managed }: DocumentSource, app: DescribedApp): Promise<Readonly<Record<string, string>>> {
    const key = await this.#deps.keys.of(app, managed);
    if (typeof key === "string") throw new Error(unsigned[key]);
    const { pathname, search } = new URL(url);
    const signed = { method: "GET", target: pathname + search, userId: "", appName: "" };
    return { [forwardSignatureHeader]: forwardSignature(key, Math.floor(this.#deps.clock.now() / 1_000), signed) };
  }
}
