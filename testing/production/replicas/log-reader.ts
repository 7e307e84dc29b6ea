import assert from "node:assert/strict";
import { until } from "@appserver/testing/kit";
import type { ProductionServer, ReplicaGroup } from "@appserver/testing/kit/production";
import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";

interface Entry {
  readonly generation: number | null;
  readonly isStart: boolean;
  readonly linesLeftOut: number;
  readonly lines: readonly { readonly text: string }[];
}

/** With every field, as `appctl logs` asks. */
const query = `subscription ($name: String!) { appLog(name: $name, tail: 0) {
  container generation isStart linesLeftOut lines { time stream text isCut container generation } } }`;

/** Follows the log of an app that prints numbered lines, and checks that no line is missing unless it was counted. */
export class LogReader {
  readonly #client: Client;
  readonly #name: string;
  readonly #isExact: boolean;
  #socket: WebSocket | undefined;
  #unsubscribe: (() => void) | undefined;
  #failure: unknown;
  /** Lines that were left out since the last line. */
  #missing = 0;
  /** Lines that were received. */
  lines = 0;
  leftOut = 0;
  starts = 0;
  last = -1;
  readonly generations = new Set<number>();

  /** `isExact`: whether every missing line must be counted. If the engine deleted lines, their number is not known. */
  constructor({ adminToken }: ReplicaGroup, server: ProductionServer, name: string, isExact = true) {
    this.#name = name;
    this.#isExact = isExact;
    this.#client = createClient({
      url: `${server.httpUrl.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${adminToken}` },
      retryAttempts: 0,
      on: {
        opened: (socket) => {
          this.#socket = socket as WebSocket;
        },
      },
    });
  }

  /** Reads from now on, or continues after {@link pause}. */
  read(): this {
    this.#socket?.resume();
    this.#unsubscribe ??= this.#client.subscribe<{ appLog: Entry }>(
      { query, variables: { name: this.#name } },
      {
        next: ({ data, errors }) => this.#failOn(() => this.#check(data?.appLog ?? assert.fail(JSON.stringify(errors)))),
        error: (error) => this.#failOn(() => assert.fail(`the stream failed: ${JSON.stringify(error)}`)),
        complete: () => this.#failOn(() => assert.fail("the stream ended")),
      },
    );
    return this;
  }

  /** Stops to read. The connection stays. */
  pause(): void {
    this.#socket?.pause();
  }

  async untilRead(count: number, timeoutMs = 120_000): Promise<void> {
    const wanted = this.lines + count;
    await until(`${count} more lines`, async () => this.#failure !== undefined || this.lines >= wanted, timeoutMs);
    if (this.#failure !== undefined) throw this.#failure;
  }

  async stop(): Promise<void> {
    const failure = this.#failure;
    this.#unsubscribe?.();
    await this.#client.dispose();
    if (failure !== undefined) throw failure;
  }

  /** Keeps the first failure for the caller. */
  #failOn(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#failure ??= error;
    }
  }

  #check({ isStart, lines, linesLeftOut, generation }: Entry): void {
    if (generation !== null) this.generations.add(generation);
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
