import { createServer, type Server } from "node:http";
import { Duplex } from "node:stream";
import { type PlainFields, parsePlainHead } from "../http/plain/plain-head.ts";

/** A request as a parser has read it. */
export interface ReadRequest {
  readonly method: string | undefined;
  readonly target: string | undefined;
  /** Names and values, alternating. */
  readonly fields: readonly string[];
  readonly body: string;
}

/** Reads requests with Node's parser. */
export class NodeReading {
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = "";
      request.setEncoding("latin1").on("data", (chunk: string) => {
        body += chunk;
      });
      request.once("end", () => {
        const { method, url: target, rawHeaders: fields, socket } = request;
        response.end();
        (socket as unknown as Wire).received({ method, target, fields, body });
      });
    });
    this.#server.on("clientError", (_, socket) => socket.destroy());
  }

  /**
   * Returns the requests of one connection, up to the first that Node refuses. Each piece arrives after the request that ends with the
   * piece before it, because Node forgets a request whose next one it refuses in the same bytes.
   */
  read(pieces: readonly string[]): Promise<readonly ReadRequest[]> {
    return new Promise((resolve) => {
      const wire = new Wire(pieces);
      wire.on("error", () => {}).once("close", () => resolve(wire.requests));
      this.#server.emit("connection", wire);
      wire.pushNext();
    });
  }

  close(): void {
    this.#server.close();
  }
}

/** A connection in memory. It drops what is written to it. */
class Wire extends Duplex {
  readonly requests: ReadRequest[] = [];
  readonly #pieces: readonly string[];
  #next = 0;

  constructor(pieces: readonly string[]) {
    super();
    this.#pieces = pieces;
  }

  received(request: ReadRequest): void {
    this.requests.push(request);
    this.pushNext();
  }

  pushNext(): void {
    const piece = this.#pieces[this.#next];
    this.#next += 1;
    if (this.destroyed) return;
    this.push(piece === undefined ? null : Buffer.from(piece, "latin1"));
  }

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: unknown, callback: () => void): void {
    callback();
  }
}

export interface PlainReading {
  readonly requests: readonly ReadRequest[];
  /** The bytes of each of them. */
  readonly pieces: readonly string[];
}

/** Returns the requests that the plain parser reads from the bytes of one connection, up to the first that is not plain. */
export function plainReading(text: string): PlainReading {
  const requests: ReadRequest[] = [];
  const pieces: string[] = [];
  let last: PlainFields | undefined;
  for (let rest = text; ; ) {
    const head = parsePlainHead(rest, last);
    if (!head || head.bytes + head.fields.bodyBytes > rest.length) return { requests, pieces };
    last = head.fields;
    const { method, target, bytes } = head;
    const { list, bodyBytes, closes } = last;
    requests.push({ method, target, fields: list, body: rest.slice(bytes, bytes + bodyBytes) });
    pieces.push(rest.slice(0, bytes + bodyBytes));
    if (closes) return { requests, pieces };
    rest = rest.slice(bytes + bodyBytes);
  }
}
