import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { create, type DescMethodUnary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";

/**
 * Unary gRPC calls (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md) directly over HTTP/2. The load generator
 * must not use more of the machine than the measured server, and a client library would.
 */
export class UnaryCalls {
  readonly #session: ClientHttp2Session;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(session: ClientHttp2Session, headers: Readonly<Record<string, string>>) {
    this.#session = session;
    this.#headers = headers;
  }

  /** `headers` are sent with every call. */
  static async open(grpcUrl: string, headers: Readonly<Record<string, string>> = {}): Promise<UnaryCalls> {
    const session = connect(grpcUrl);
    await once(session, "connect");
    return new UnaryCalls(session, headers);
  }

  /** Resolves with the bytes of the response's message. Rejects with the server's status and message. */
  call<Method extends DescMethodUnary>(method: Method, request: MessageInitShape<Method["input"]>): Promise<Buffer> {
    const message = toBinary(method.input, create(method.input, request));
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    const stream = this.#session.request({
      ...this.#headers,
      ":method": "POST",
      ":path": `/${method.parent.typeName}/${method.name}`,
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.end(Buffer.concat([prefix, message]));
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    return new Promise((resolve, reject) => {
      let status = "none";
      const note = (headers: Readonly<Record<string, unknown>>): void => {
        if (headers["grpc-status"] !== undefined) status = `${headers["grpc-status"]} ${headers["grpc-message"] ?? ""}`;
      };
      // In a trailers-only response the trailers are sent as headers.
      stream.once("response", note);
      stream.once("trailers", note);
      stream.once("error", reject);
      stream.once("close", () =>
        status.startsWith("0 ")
          ? resolve(Buffer.concat(chunks).subarray(prefix.length))
          : reject(new Error(`gRPC status ${status}`)),
      );
    });
  }

  close(): void {
    this.#session.close();
  }
}
