import type { BodyReader, InboundBody } from "@appserver/kernel";
import type { BodyPace } from "../body-pace.ts";

/** A body that came together with its head. */
export class WholeBody implements InboundBody {
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

/** The connection that a body comes through. */
export interface BodyConnection {
  pause(): void;
  resume(): void;
}

/** How much of a body waits for a reader that is not there yet, before the connection is read no more. */
const maxWaitingBytes = 65_536;

/** A body whose rest is still on its way. */
export class ArrivingBody implements InboundBody {
  readonly bytes = undefined;
  readonly length: number;
  /** Undefined if its pauses are not limited. */
  readonly pace: BodyPace | undefined;
  readonly #connection: BodyConnection;
  #reader: BodyReader | undefined;
  /** What has arrived and has no reader yet, or one that has paused. */
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isPaused = false;
  #isDiscarded = false;
  #hasFailed = false;
  #error: Error | undefined;
  /** Bytes that have not arrived. */
  left: number;

  constructor(length: number, connection: BodyConnection, pace: BodyPace | undefined) {
    this.length = length;
    this.left = length;
    this.#connection = connection;
    this.pace = pace;
  }

  get isComplete(): boolean {
    return this.left === 0 || this.#hasFailed;
  }

  /** Whether the server takes more of it. If not, a pause is not the client's. */
  get isAwaited(): boolean {
    return this.#reader !== undefined && !this.#isPaused;
  }

  /** Passes on what has arrived: not more than is left. Returns whether it is kept. */
  add(bytes: Uint8Array): boolean {
    this.left -= bytes.length;
    this.pace?.add(bytes.length);
    if (this.left === 0) {
      this.pace?.end();
      // Its reader has paused the connection, whose next request, or end, must be noticed.
      this.#connection.resume();
    }
    if (this.#isDiscarded) return false;
    if (this.#reader && !this.#isPaused && this.#waiting.length === 0) {
      const isKept = this.#reader.onData(bytes);
      this.#pass();
      return isKept;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#pass();
    if (this.left > 0 && this.#waitingBytes >= maxWaitingBytes) this.#connection.pause();
    return true;
  }

  /** The rest will not come. `error` is why the listener has ended it; undefined if the client went away. */
  fail(error?: Error): void {
    if (this.isComplete) return;
    this.pace?.end();
    this.#hasFailed = true;
    this.#error = error;
    this.#pass();
  }

  /** The rest has no reader any more. */
  discard(): void {
    this.#isDiscarded = true;
    this.#reader = undefined;
    this.#waiting.length = 0;
    this.#connection.resume();
  }

  read(reader: BodyReader): void {
    this.#reader = reader;
    this.resume();
  }

  pause(): void {
    this.#isPaused = true;
    if (!this.isComplete) this.#connection.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.isComplete) this.#connection.resume();
    this.#pass();
  }

  stop(): void {
    this.#reader = undefined;
    if (!this.isComplete && !this.#isDiscarded) this.#connection.pause();
  }

  #pass(): void {
    for (let bytes = this.#next(); bytes; bytes = this.#next()) this.#reader?.onData(bytes);
    if (this.#waiting.length > 0 || !this.isComplete || this.#isPaused) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (this.left === 0) reader?.onEnd();
    else reader?.onError(this.#error);
  }

  /** Returns what the reader gets next, if it takes it now. */
  #next(): Uint8Array | undefined {
    if (!this.#reader || this.#isPaused) return undefined;
    const bytes = this.#waiting.shift();
    this.#waitingBytes -= bytes?.length ?? 0;
    return bytes;
  }
}
