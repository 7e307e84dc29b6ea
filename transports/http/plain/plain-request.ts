import type { InboundBody, InboundRequest } from "@appserver/kernel";
import type { PlainHead } from "./plain-head.ts";

/** The connection of a request. */
export interface Peer {
  readonly isEncrypted: boolean;
  readonly peerAddress: string;
}

/** A plain request. */
export class PlainRequest implements InboundRequest {
  readonly httpVersion = "1.1";
  readonly method: string;
  readonly target: string;
  readonly fields: readonly string[];
  readonly body: InboundBody | undefined;
  readonly derived: Map<object, unknown> | undefined;
  readonly #names: readonly string[];
  readonly #peer: Peer;

  constructor({ method, target, fields }: PlainHead, body: InboundBody | undefined, peer: Peer) {
    this.method = method;
    this.target = target;
    this.fields = fields.list;
    this.derived = fields.derived;
    this.#names = fields.names;
    this.#peer = peer;
    this.body = body;
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
