import { type ClientHttp2Stream, constants } from "node:http2";
import { Http2SessionManager } from "@connectrpc/connect-node";

/**
 * The HTTP/2 connection of a platform client. A call ends with its response, also if the client still sends or may send later:
 * the platform can refuse a stream at its first message (RFC 9113 §8.1). Connect only stops reading then. A chunk that waits for
 * the platform to read would keep the stream, and with it the process, open without end.
 */
export class PlatformConnection extends Http2SessionManager {
  /** Connect calls this after each read, also after the one that finds the end of the response. */
  override notifyResponseByteRead(stream: ClientHttp2Stream): void {
    super.notifyResponseByteRead(stream);
    if (stream.readableEnded && !stream.writableEnded) stream.close(constants.NGHTTP2_CANCEL);
  }
}
