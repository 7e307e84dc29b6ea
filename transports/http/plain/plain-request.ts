import type { BodyReader, InboundBody, InboundRequest } from "@appserver/kernel";
import type { PlainHead } from "./plain-head.ts";

/** The connection of a request. */
export interface Peer {
  readonly isEncrypted: boolean;
  readonly peerAddress: string;
}

/** A plain request, whose body came with its head. */
export class PlainRequest implements InboundRequest {
  readonly httpVersion = "1.1";
  readonly method: string;
  readonly target: string;
  readonly fields: readonly string[];
  readonly body: PlainBody | undefined;
  readonly derived: Map<object, unknown> | undefined;
  readonly #names: readonly string[];
  readonly #peer: Peer;

  constructor({ method, target, fields }: PlainHead, body: Uint8Array | undefined, peer: Peer) {
    this.method = method;
    this.target = target;
    this.fields = fields.list;
    this.derived = fields.derived;
    this.#names = fields.names;
    this.#peer = peer;
    this.body = body && new PlainBody(body);
  }

  get isEncrypted(): boolean {
    return this.#peer.isEncrypted;
  }

  get peerAddress(): string {
    return this.#peer.peerAddress;
  }

  header(name: string): string | undefined {
    const at = this.#names.indexOf(name);
    return at < 0 ? undefined : this.fields[2 * at + 1];
  }
}

class PlainBody implements InboundBody {
  readonly bytes: Uint8Array;
  readonly isComplete = true;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get length(): number {
    return this.bytes.length;
  }

  read(reader: BodyReader): void {
    reader.onData(this.bytes);
    reader.onEnd();
  }

  pause(): void {}

  resume(): void {}

  stop(): void {}
}
