import { WebSocket } from "ws";

/** What happened to the WebSockets of one client. */
export interface SocketRecord {
  /** How often the server acknowledged a connection. */
  acknowledged: number;
  /** The codes with which connections that had been open were closed. */
  readonly closed: number[];
}

/** The WebSocket that client libraries call. */
export type WebSocketClass = new (address: string | URL, protocols?: string | string[]) => WebSocket;

/** Returns an implementation of WebSocket for a client library, and what happens to its sockets. */
export function recordedSockets(): { readonly implementation: WebSocketClass; readonly record: SocketRecord } {
  const record: SocketRecord = { acknowledged: 0, closed: [] };
  class RecordedSocket extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols);
      this.once("open", () => this.once("close", (code) => record.closed.push(code)));
      this.on("message", (data) => {
        const { type } = JSON.parse(String(data)) as { readonly type: string };
        if (type === "connection_ack") record.acknowledged += 1;
      });
      // The older client removes its listener from a socket that does not connect in time. Node would end the process.
      this.on("error", () => {});
    }
  }
  return { implementation: RecordedSocket, record };
}
