import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";

const types = { query: "Q", parse: "P", bind: "B", execute: "E" } as const;
/** Type and length of a message of the protocol of PostgreSQL. The first message of a connection has no type. */
const headerBytes = 5;

/** A relay in front of a PostgreSQL server, without TLS, which counts the statements that pass through it. */
export class StatementCounter {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #counts = new Map<string, number>();

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((client) => this.#relay(client, connect(target.port, target.host)));
  }

  static async start(target: { readonly host: string; readonly port: number }): Promise<StatementCounter> {
    const counter = new StatementCounter(target);
    await once(counter.#server.listen(0, "127.0.0.1"), "listening");
    return counter;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The number of statements so far: simple queries, and executions of prepared ones. */
  get statements(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** How often each statement was run so far, by its text. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #relay(client: Socket, server: Socket): void {
    const read = this.#reader();
    let isStartup = true;
    let pending = Buffer.alloc(0);
    client.on("data", (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= headerBytes) {
        const length = isStartup ? pending.readInt32BE(0) : 1 + pending.readInt32BE(1);
        if (pending.length < length) return;
        if (!isStartup) read(String.fromCharCode(pending[0] ?? 0), pending.subarray(headerBytes, length));
        isStartup = false;
        pending = pending.subarray(length);
      }
    });
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    }
    pipeline(client, server, () => {});
    pipeline(server, client, () => {});
  }

  /** Returns what reads the messages of one connection. */
  #reader(): (type: string, body: Buffer) => void {
    const prepared = new Map<string, string>();
    let bound = "";
    return (type, body) => {
      const texts = body.toString("utf8").split("\0", 2);
      if (type === types.parse) prepared.set(texts[0] ?? "", texts[1] ?? "");
      if (type === types.bind) bound = prepared.get(texts[1] ?? "") ?? "";
      if (type === types.query) this.#count(texts[0] ?? "");
      if (type === types.execute) this.#count(bound);
    };
  }

  #count(text: string): void {
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }
}
