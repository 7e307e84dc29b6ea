import {
  type BodyReader,
  type BodySource,
  type BufferLease,
  type InboundBody,
  Rejection,
  readWholeBody,
} from "@appserver/kernel";

export function bodyTooLarge(limit: number): Rejection {
  return new Rejection(
    "INVALID_REQUEST",
    "body_too_large",
    `The request body is too large: at most ${limit} bytes are accepted.`,
    {
      details: { max_body_bytes: limit },
    },
  );
}

function clientGone(): Rejection {
  return new Rejection("INVALID_REQUEST", "client_gone", "The client went away before its request was complete.");
}

/** Returns the listener's reason for ending the body, if it has one. Else the client ended it. */
function rejectionOf(error: Error | undefined): Rejection {
  return error?.cause instanceof Rejection ? error.cause : clientGone();
}

/** Reads the complete body. Rejects with a Rejection if it is too large or incomplete, and with the errors of the lease. */
export function bufferBody(body: InboundBody, limit: number, lease: BufferLease): Promise<Uint8Array> {
  return readWholeBody(body, { maxBytes: limit, lease, tooLarge: () => bodyTooLarge(limit), incomplete: rejectionOf });
}

/** The reason why a body could not be forwarded. The request caused it, not the upstream. */
export class RequestBodyError extends Error {
  override readonly name = "RequestBodyError";
  readonly code = "REQUEST_BODY";
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.rejection = rejection;
  }
}

/** A request's body on its way to the upstream, counted against the limit. */
export class RequestBody implements BodySource, BodyReader {
  readonly #source: BodySource;
  readonly #limit: number;
  readonly #onProgress: () => void;
  #reader: BodyReader | undefined;
  #length = 0;
  /** True while the upstream accepts no more data. A pause is then caused by the upstream. */
  isBlocked = false;
  isComplete = false;

  constructor(source: BodySource, limit: number, onProgress: () => void) {
    this.#source = source;
    this.#limit = limit;
    this.#onProgress = onProgress;
  }

  read(reader: BodyReader): void {
    this.#reader = reader;
    this.#source.read(this);
  }

  pause(): void {
    this.isBlocked = true;
    this.#source.pause();
  }

  resume(): void {
    this.isBlocked = false;
    this.#source.resume();
  }

  stop(): void {
    this.#reader = undefined;
    if (!this.isComplete) this.#source.stop();
  }

  onData(chunk: Uint8Array): boolean {
    this.#length += chunk.length;
    if (this.#length > this.#limit) {
      this.#fail(bodyTooLarge(this.#limit));
      return false;
    }
    this.#onProgress();
    return this.#reader?.onData(chunk) === true;
  }

  onEnd(): void {
    this.isComplete = true;
    this.#onProgress();
    this.#reader?.onEnd();
  }

  onError(error: Error | undefined): void {
    this.#fail(rejectionOf(error));
  }

  #fail(rejection: Rejection): void {
    const reader = this.#reader;
    this.stop();
    reader?.onError(new RequestBodyError(rejection));
  }
}
