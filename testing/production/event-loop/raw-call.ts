import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { MarketplaceService, RegisterAppStreamRequestSchema } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";

const marketplace = `/${MarketplaceService.typeName}`;

type Part = MessageInitShape<typeof RegisterAppStreamRequestSchema>["part"];

/**
 * A connection for raw calls. Node's client rejects the server's responses (ENHANCE_YOUR_CALM) while it has more than 10 MB of
 * unsent bytes. Floods need more room.
 */
export function connectForFloods(grpcUrl: string): ClientHttp2Session {
  const session = connect(grpcUrl, { maxSessionMemory: 1_000 });
  session.on("error", () => {});
  return session;
}

/** A gRPC message with its length prefix. */
export function enveloped(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** One message of RegisterAppStream. */
export const partOf = (part: Part): Buffer =>
  enveloped(toBinary(RegisterAppStreamRequestSchema, create(RegisterAppStreamRequestSchema, part ? { part } : {})));

/** A raw gRPC call of the marketplace, and the status with which it ends. */
export class RawCall {
  readonly stream: ClientHttp2Stream;
  /** The gRPC status; -1 if the call ended without one. */
  readonly status: Promise<number>;

  constructor(session: ClientHttp2Session, method: string, more: Readonly<Record<string, string>> = {}) {
    const headers = {
      ":method": "POST",
      ":path": `${marketplace}/${method}`,
      "content-type": "application/grpc",
      te: "trailers",
      ...more,
    };
    this.stream = session.request(headers);
    this.stream.on("error", () => {});
    this.status = new Promise((resolve) => {
      const seen = (fields: Record<string, unknown>): void => {
        if (fields["grpc-status"] !== undefined) resolve(Number(fields["grpc-status"]));
      };
      this.stream
        .on("response", seen)
        .on("trailers", seen)
        .on("close", () => resolve(-1));
    });
    this.stream.resume();
  }

  /**
   * Writes until all is written, the server ends the call, or the server accepts nothing for two seconds. Resolves with the
   * amount written.
   */
  async write(pieces: Iterable<Buffer>): Promise<number> {
    let taken = 0;
    let isOver = false;
    void this.status.then(() => (isOver = true));
    for (const piece of pieces) {
      if (isOver || this.stream.destroyed) break;
      taken += piece.length;
      if (this.stream.write(piece)) continue;
      const drained = new Promise<boolean>((resolve) => this.stream.once("drain", () => resolve(true)));
      const goesOn = await Promise.race([drained, this.status.then(() => true), sleep(2_000, false, { ref: false })]);
      if (!goesOn) break;
    }
    return taken;
  }
}
