import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { BodyPace, BodyReader, InboundBody, InboundRequest } from "@appserver/kernel";

/** A request that Node's server read, of HTTP/1.1 or HTTP/2. */
export class NodeRequest implements InboundRequest {
  readonly message: IncomingMessage;
  readonly #pace: BodyPace | undefined;
  #body: NodeBody | undefined;

  constructor(message: IncomingMessage, pace?: BodyPace) {
    this.message = message;
    this.#pace = pace;
  }

  get method(): string {
    return this.message.method ?? "GET";
  }

  get target(): string {
    return this.message.url ?? "/";
  }

  get httpVersion(): string {
    return this.message.httpVersion;
  }

  get fields(): readonly string[] {
    return this.message.rawHeaders;
  }

  get isEncrypted(): boolean {
    return (this.message.socket as Partial<TLSSocket>).encrypted === true;
  }

  get peerAddress(): string {
    return this.message.socket.remoteAddress ?? "";
  }

  get body(): NodeBody | undefined {
    if (!this.#body && hasBody(this.message)) this.#body = new NodeBody(this.message, this.#pace);
    return this.#body;
  }

  header(name: string): string | undefined {
    const value = this.message.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }
}

/** Returns whether a body follows the headers. */
export function hasBody(message: IncomingMessage): boolean {
  if ("stream" in message) return !(message.stream as { readonly endAfterHeaders: boolean }).endAfterHeaders;
  const length = message.headers["content-length"];
  return message.headers["transfer-encoding"] !== undefined || (length !== undefined && Number(length) !== 0);
}

class NodeBody implements InboundBody {
  readonly bytes = undefined;
  readonly pace: BodyPace | undefined;
  readonly #message: IncomingMessage;
  #reader: BodyReader | undefined;

  constructor(message: IncomingMessage, pace: BodyPace | undefined) {
    this.#message = message;
    this.pace = pace;
  }

  get length(): number | undefined {
    const declared = this.#message.headers["content-length"];
    return declared === undefined ? undefined : Number(declared);
  }

  get isComplete(): boolean {
    return this.#message.complete || this.#message.destroyed;
  }

  read(reader: BodyReader): void {
    if (!this.#reader) {
      this.#message.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose).on("error", this.#onClose);
    }
    this.#reader = reader;
    this.#message.resume();
  }

  pause(): void {
    this.#message.pause();
  }

  resume(): void {
    this.#message.resume();
  }

  stop(): void {
    this.#detach();
    if (!this.isComplete) this.#message.pause();
  }

  #detach(): void {
    this.#reader = undefined;
    this.#message.removeListener("data", this.#onData).removeListener("end", this.#onEnd);
    this.#message.removeListener("close", this.#onClose).removeListener("error", this.#onClose);
  }

  readonly #onData = (chunk: Buffer): void => void this.#reader?.onData(chunk);

  readonly #onEnd = (): void => {
    const reader = this.#reader;
    this.#detach();
    reader?.onEnd();
  };

  readonly #onClose = (error?: Error): void => {
    const reader = this.#reader;
    this.#detach();
    reader?.onError(error);
  };
}
