import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { TriggerHookRequestSchema } from "@appserver/contracts/proto/appserver/v2/hooks";
import { create, toBinary } from "@bufbuild/protobuf";

const path = "/appserver.v2.HooksService/TriggerHook";

/**
 * Unary gRPC calls (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md) directly over HTTP/2. The load generator
 * must not use more of the machine than the measured server, and a client library would.
 */
export class GrpcTriggers {
  readonly #session: ClientHttp2Session;

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
  }

  static async open(grpcUrl: string): Promise<GrpcTriggers> {
    const session = connect(grpcUrl);
    await once(session, "connect");
    return new GrpcTriggers(session);
  }

  /** Resolves when it is acknowledged. Rejects with the server's status and message. */
  trigger(name: string, number: number): Promise<void> {
    const message = toBinary(
      TriggerHookRequestSchema,
      create(TriggerHookRequestSchema, { name, data: { kind: { case: "numberValue", value: number } } }),
    );
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    const stream = this.#session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.end(Buffer.concat([prefix, message]));
    stream.resume();
    return new Promise((resolve, reject) => {
      let status = "none";
      const note = (headers: Readonly<Record<string, unknown>>): void => {
        if (headers["grpc-status"] !== undefined) status = `${headers["grpc-status"]} ${headers["grpc-message"] ?? ""}`;
      };
      // In a trailers-only response the trailers are sent as headers.
      stream.once("response", note);
      stream.once("trailers", note);
      stream.once("error", reject);
      stream.once("close", () => (status.startsWith("0 ") ? resolve() : reject(new Error(`gRPC status ${status}`))));
    });
  }

  close(): void {
    this.#session.close();
  }
}
