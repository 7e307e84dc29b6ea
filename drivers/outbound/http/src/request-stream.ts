import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { BodyReader, BodySource } from "@appserver/kernel";

/** The body does not fit what its sender declared. */
class BodyError extends Error {
  override readonly name = "BodyError";
  readonly code = "REQUEST_BODY";
}

/** Sends the body of a request in the pace of the connection. */
export class RequestStream implements BodyReader {
  readonly #body: BodySource;
  readonly #socket: Duplex;
  /** Bytes until the declared length. Undefined if the body is sent in chunks. */
  #left: number | undefined;
  readonly #onOver: (error?: Error) => void;

  /** `length`: as declared, undefined for chunks. `onOver` is called once: after the last byte was written, or with the error. */
  constructor(body: BodySource, socket: Duplex, length: number | undefined, onOver: (error?: Error) => void) {
    this.#body = body;
    this.#socket = socket;
    this.#left = length;
    this.#onOver = onOver;
  }

  start(): void {
    this.#socket.on("drain", this.#onDrain);
    this.#body.read(this);
  }

  /** Sends no more. */
  stop(): void {
    this.#socket.removeListener("drain", this.#onDrain);
    this.#body.stop();
  }

  onData(data: Uint8Array): boolean {
    const socket = this.#socket;
    if (this.#left === undefined) {
      socket.cork();
      socket.write(`${data.length.toString(16)}\r\n`, "latin1");
      socket.write(data);
      socket.write("\r\n", "latin1");
      socket.uncork();
    } else {
      this.#left -= data.length;
      if (this.#left < 0) {
        this.#over(new BodyError("the body is longer than its declared length"));
        return false;
      }
      socket.write(data);
    }
    if (socket.writableNeedDrain) this.#body.pause();
    // A stream over another one, such as that of a tunnel, may keep what it has accepted.
    return !(socket instanceof Socket) || socket.writableLength > 0;
  }

  onEnd(): void {
    if (this.#left === undefined) this.#socket.write("0\r\n\r\n", "latin1");
    const isShort = this.#left !== undefined && this.#left > 0;
    this.#over(isShort ? new BodyError("the body is shorter than its declared length") : undefined);
  }

  onError(error: Error | undefined): void {
    this.#over(error ?? new BodyError("the body ended before its end"));
  }

  readonly #onDrain = (): void => {
    this.#body.resume();
  };

  #over(error?: Error): void {
    this.stop();
    this.#onOver(error);
  }
}
