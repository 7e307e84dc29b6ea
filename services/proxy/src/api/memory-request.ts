import type { InboundBody, InboundRequest, RequestContext } from "@appserver/kernel";

/** What the platform asks apps for. Nothing decompresses the response. */
const common = ["accept", "application/json, text/*;q=0.9, */*;q=0.1", "accept-encoding", "identity"] as const;

/** A request that came over no connection. Its headers are those that the platform sets. */
export class MemoryRequest implements InboundRequest {
  readonly method: string;
  readonly target: string;
  readonly httpVersion = "1.1";
  readonly fields: readonly string[];
  readonly isEncrypted: boolean;
  readonly peerAddress: string;
  readonly body: InboundBody | undefined;

  /** `body`: JSON. */
  constructor(
    { method, target, body }: { readonly method: string; readonly target: string; readonly body: string | undefined },
    { protocol, remoteAddress }: RequestContext,
  ) {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    this.method = method;
    this.target = target;
    this.isEncrypted = protocol === "https";
    this.peerAddress = remoteAddress;
    this.fields = bytes ? [...common, "content-type", "application/json", "content-length", String(bytes.length)] : common;
    this.body = bytes && new MemoryBody(bytes);
  }

  header(name: string): string | undefined {
    const at = this.fields.findIndex((field, index) => index % 2 === 0 && field === name);
    return at < 0 ? undefined : this.fields[at + 1];
  }
}

/** A body of which all is there. Its readers take `bytes`. */
class MemoryBody implements InboundBody {
  readonly bytes: Uint8Array;
  readonly isComplete = true;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get length(): number {
    return this.bytes.length;
  }

  read(): void {
    throw new Error("the body is read as a whole");
  }

  pause(): void {}

  resume(): void {}

  stop(): void {}
}
