import type { Duplex, Readable } from "node:stream";

/** The body does not fit what its sender declared. */
class BodyError extends Error {
  override readonly name = "BodyError";
  readonly code = "REQUEST_BODY";
}

/** Sends the body of a request in the pace of the connection. */
export class RequestStream {
  readonly #body: Readable;
  readonly #socket: Duplex;
  /** Bytes until the declared length. Undefined if the body is sent in chunks. */
  #left: number | undefined;
  readonly #onOver: (error?: Error) => void;

  /** `length`: as declared, undefined for chunks. `onOver` is called once: after the last byte was written, or with the error. */
  constructor(body: Readable, socket: Duplex, length: number | undefined, onOver: (error?: Error) => void) {
    this.#body = body;
    this.#socket = socket;
    this.#left = length;
    this.#onOver = onOver;
    socket.on("drain", this.#onDrain);
    body.on("data", this.#onData).on("end", this.#onEnd).on("error", this.#onError).on("close", this.#onClose);
  }

  /** Sends no more. The body stays as it is. */
  stop(): void {
    const body = this.#body;
    this.#socket.removeListener("drain", this.#onDrain);
    body.removeListener("data", this.#onData).removeListener("end", this.#onEnd).removeListener("error", this.#onError);
    body.removeListener("close", this.#onClose);
  }

  readonly #onData = (data: Buffer): void => {
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
        return;
      }
      socket.write(data);
    }
    if (socket.writableNeedDrain) this.#body.pause();
  };

  readonly #onDrain = (): void => {
    this.#body.resume();
  };

  readonly #onEnd = (): void => {
    if (this.#left === undefined) this.#socket.write("0\r\n\r\n", "latin1");
    const isShort = this.#left !== undefined && this.#left > 0;
    this.#over(isShort ? new BodyError("the body is shorter than its declared length") : undefined);
  };

  readonly #onError = (error: Error): void => this.#over(error);

  readonly #onClose = (): void => this.#over(new BodyError("the body ended before its end"));

  #over(error?: Error): void {
    this.stop();
    this.#onOver(error);
  }
}
