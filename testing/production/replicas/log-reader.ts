import assert from "node:assert/strict";
import type { TailLogsResponse } from "@appserver/contracts/proto/appserver/v2/marketplace";
import type { PlatformClient } from "@appserver/sdk";
import { until } from "@appserver/testing/kit";
import { ConnectError } from "@connectrpc/connect";

/** Follows the log of an app that prints numbered lines, and checks that no line is missing unless it was counted. */
export class LogReader {
  readonly #messages: AsyncIterator<TailLogsResponse>;
  readonly #abort = new AbortController();
  #reading: Promise<void> | undefined;
  #isPaused = true;
  #failure: unknown;
  readonly #isExact: boolean;
  /** Lines that were left out since the last line. */
  #missing = 0;
  /** Lines that were received. */
  lines = 0;
  leftOut = 0;
  starts = 0;
  last = -1;
  readonly generations = new Set<number>();

  /** `isExact`: whether every missing line must be counted. If the engine deleted lines, their number is not known. */
  constructor({ marketplace }: PlatformClient, name: string, isExact = true) {
    this.#isExact = isExact;
    const request = { name, tail: 0, follow: true };
    const messages = marketplace.tailLogs(request, { timeoutMs: 0, signal: this.#abort.signal });
    this.#messages = messages[Symbol.asyncIterator]();
  }

  read(): this {
    this.#isPaused = false;
    this.#reading = this.#readOn().catch((error: unknown) => {
      if (!this.#abort.signal.aborted) this.#failure = error;
    });
    return this;
  }

  /** Stops to take messages. The connection stays. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#reading;
  }

  async untilRead(count: number, timeoutMs = 120_000): Promise<void> {
    const wanted = this.lines + count;
    await until(`${count} more lines`, async () => this.#failure !== undefined || this.lines >= wanted, timeoutMs);
    if (this.#failure !== undefined) throw ConnectError.from(this.#failure);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#reading;
    if (this.#failure !== undefined) throw ConnectError.from(this.#failure);
  }

  async #readOn(): Promise<void> {
    while (!this.#isPaused) {
      const { done, value } = await this.#messages.next();
      assert.notEqual(done, true, "the stream ended");
      this.#check(value);
    }
  }

  #check({ isStart, lines, linesLeftOut, generation }: TailLogsResponse): void {
    this.generations.add(generation);
    if (isStart) {
      this.starts += 1;
      this.last = -1;
    }
    this.leftOut += linesLeftOut;
    this.#missing += linesLeftOut;
    for (const { text } of lines) {
      const number = Number(/^line (\d+) x{20}$/.exec(text)?.[1] ?? assert.fail(`not a line of the app: ${text}`));
      const expected = this.last + this.#missing + 1;
      const isRight = number === expected || (!this.#isExact && this.#missing > 0 && number > expected);
      if (this.last !== -1) assert.ok(isRight, `${number} after ${this.last} with ${this.#missing} left out`);
      this.last = number;
      this.#missing = 0;
      this.lines += 1;
    }
  }
}
