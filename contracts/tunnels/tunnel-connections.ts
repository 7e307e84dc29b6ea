import { Duplex } from "node:stream";
import { create } from "@bufbuild/protobuf";
import { type TunnelFrame, TunnelFrameSchema, TunnelSignal } from "../generated/proto/appserver/v2/development_pb.js";

/** Bytes that a side may send over a connection before the other one has taken any. */
export const windowBytes = 262_144;
/** Maximum of one frame. */
export const maxDataBytes = 65_536;
/** Maximum number of connections of one tunnel. They share the memory of the server. */
export const maxTunnelConnections = 100;
/** Credit is given in pieces of this size: not a frame for each byte. */
const creditBytes = windowBytes / 4;

class ConnectionReset extends Error {
  override readonly name = "ConnectionReset";
  readonly code = "ECONNRESET";
}

class ConnectionRefused extends Error {
  override readonly name = "ConnectionRefused";
  readonly code = "ECONNREFUSED";
}

/** The connections of one tunnel, on either side (docs/interface/proxy.md#developer-tunnels). */
export class TunnelConnections {
  readonly #send: (frame: TunnelFrame) => void;
  readonly #onConnect: ((connection: TunnelConnection) => void) | undefined;
  readonly #open = new Map<number, TunnelConnection>();
  #lastId = 0;

  /** `onConnect` gets each connection that the other side opens. Without it, this side is the platform, which opens them. */
  constructor(send: (frame: TunnelFrame) => void, onConnect?: (connection: TunnelConnection) => void) {
    this.#send = send;
    this.#onConnect = onConnect;
  }

  /** Opens a connection. It takes data at once. If it cannot be opened, it ends with an error whose code is ECONNREFUSED. */
  dial(): TunnelConnection {
    this.#lastId += 1;
    const id = this.#lastId;
    const connection = this.#add(id);
    if (this.#open.size > maxTunnelConnections) {
      connection.destroy(new ConnectionRefused(`the tunnel has ${maxTunnelConnections} open connections`));
      return connection;
    }
    this.#send(create(TunnelFrameSchema, { connection: id, content: { case: "signal", value: TunnelSignal.CONNECT } }));
    return connection;
  }

  /** Takes a frame of the other side. Throws RangeError with what is wrong if it keeps no rule of {@link TunnelFrame}. */
  receive({ connection: id, content }: TunnelFrame): void {
    if (content.case === undefined) throw new RangeError("a frame needs a content");
    if (content.case === "data" && content.value.length > maxDataBytes)
      throw new RangeError(`a frame has at most ${maxDataBytes} bytes, got ${content.value.length}`);
    if (content.case === "signal" && content.value === TunnelSignal.CONNECT) {
      if (!this.#onConnect) throw new RangeError("only the platform opens connections");
      if (id <= this.#lastId) throw new RangeError(`connection ${id} was opened before`);
      this.#lastId = id;
      this.#onConnect(this.#add(id));
    } else this.#open.get(id)?.receive(content);
  }

  /** Ends all connections. */
  close(): void {
    for (const connection of this.#open.values()) connection.destroy(new ConnectionReset("the tunnel has ended"));
  }

  #add(id: number): TunnelConnection {
    const connection = new TunnelConnection(
      (content) => this.#send(create(TunnelFrameSchema, { connection: id, content })),
      () => this.#open.delete(id),
    );
    this.#open.set(id, connection);
    return connection;
  }
}

type Content = TunnelFrame["content"];

/** One connection. An error at its end has a code of sockets. */
export class TunnelConnection extends Duplex {
  readonly #send: (content: Content) => void;
  readonly #onClose: () => void;
  /** Bytes that the other side accepts. */
  #credit = windowBytes;
  /** Bytes that this side has received and gave no credit for. */
  #received = 0;
  #waiting: { readonly bytes: Buffer; readonly done: () => void } | undefined;
  #isOver = false;
  /** Whether the other side sends no more. */
  #hasEnded = false;

  constructor(send: (content: Content) => void, onClose: () => void) {
    super();
    // The user may not listen yet, or any longer.
    this.on("error", () => {});
    this.#send = send;
    this.#onClose = onClose;
  }

  /** Tells the other side that the backend does not accept the connection. */
  refuse(): void {
    this.#signal(TunnelSignal.REFUSED);
    this.#isOver = true;
    this.destroy();
  }

  /** Takes the content of a frame of the other side. Throws RangeError if it keeps no rule. */
  receive(content: Content): void {
    if (content.case === "data") {
      this.#received += content.value.length;
      if (this.#received > windowBytes) throw new RangeError("data came without credit");
      if (this.#hasEnded) throw new RangeError("data came after the end");
      this.push(Buffer.from(content.value));
    } else if (content.case === "credit") {
      this.#credit += content.value;
      if (this.#credit > windowBytes) throw new RangeError("more credit came than data was sent");
      this.#flush();
    } else if (content.value === TunnelSignal.END) {
      this.#hasEnded = true;
      this.push(null);
    } else {
      this.#isOver = true;
      const isRefused = content.value === TunnelSignal.REFUSED;
      this.destroy(isRefused ? new ConnectionRefused("the backend refused it") : new ConnectionReset("the far end closed it"));
    }
  }

  override _read(): void {
    if (this.#received < creditBytes) return;
    this.#send({ case: "credit", value: this.#received });
    this.#received = 0;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#waiting = { bytes, done };
    this.#flush();
  }

  override _final(done: () => void): void {
    this.#signal(TunnelSignal.END);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const isComplete = this.readableEnded && this.writableFinished;
    if (!this.#isOver && !isComplete) this.#signal(TunnelSignal.RESET);
    this.#onClose();
    done(error);
  }

  #flush(): void {
    if (!this.#waiting) return;
    const { bytes, done } = this.#waiting;
    let sent = 0;
    while (sent < bytes.length && this.#credit > 0) {
      const value = bytes.subarray(sent, sent + Math.min(maxDataBytes, this.#credit));
      this.#send({ case: "data", value });
      sent += value.length;
      this.#credit -= value.length;
    }
    this.#waiting = sent < bytes.length ? { bytes: bytes.subarray(sent), done } : undefined;
    if (!this.#waiting) done();
  }

  #signal(value: TunnelSignal): void {
    this.#send({ case: "signal", value });
  }
}
