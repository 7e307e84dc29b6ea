import { type ClientHttp2Session, connect, constants } from "node:http2";
import type { Duplex } from "node:stream";
import type { OpenSocket } from "./open-socket.ts";
import { ConnectionLost } from "./upstream-failure.ts";

/** The backend at the far end does not accept a connection. */
class CarriedConnectionRefused extends Error {
  override readonly name = "CarriedConnectionRefused";
  readonly code = "ECONNREFUSED";
}

/** Connections to a backend at the far end of a byte stream, each a CONNECT of one HTTP/2 connection (RFC 9113 §8.5). */
export class CarriedConnections {
  readonly #session: ClientHttp2Session;

  constructor(carrier: Duplex) {
    this.#session = connect("http://localhost", { createConnection: () => carrier, settings: { enablePush: false } });
    // Each connection reports its own loss.
    this.#session.on("error", () => {});
  }

  /** Opens a connection. It is an ordinary stream, which takes a request before the far end has connected. */
  readonly open: OpenSocket = (_, callback) => {
    if (this.#session.closed || this.#session.destroyed) {
      callback(new ConnectionLost("the tunnel has ended"), null);
      return;
    }
    const stream = this.#session.request({ ":method": "CONNECT", ":authority": "localhost" });
    stream.once("response", ({ ":status": status }) => {
      if (status !== constants.HTTP_STATUS_OK) stream.destroy(new CarriedConnectionRefused(`the far end responded ${status}`));
    });
    callback(null, { socket: stream, isStream: true });
  };

  close(): void {
    this.#session.destroy();
  }
}
