import { Socket } from "node:net";
import { Readable } from "node:stream";

/** Gets what the socket has read, which is valid during the call only. Returns whether the socket may continue to read. */
type Reader = (bytes: Buffer) => boolean;

/** What a socket with the option `onread` reads into, whom it passes that to, and what it reads into next. */
interface ReadFields {
  readonly buffer: symbol;
  readonly callback: symbol;
  readonly next: symbol;
}

/** The handle of a socket on TCP. */
interface Handle {
  readonly useUserBuffer: (buffer: Buffer) => void;
}

/**
 * Reads of a socket that go into memory of the reader, without an allocation and an event for each. For sockets that a program opens,
 * this is the option `onread` of node:net. A server has no such option for those that it accepts: here they get it afterwards.
 */
export class DirectReads {
  readonly #socket: Socket;
  #reader: Reader;

  private constructor(socket: Socket, fields: ReadFields, handle: Handle, buffer: () => Buffer, reader: Reader) {
    this.#socket = socket;
    this.#reader = reader;
    Reflect.set(socket, fields.buffer, buffer());
    Reflect.set(socket, fields.next, buffer);
    Reflect.set(socket, fields.callback, (count: number, bytes: Buffer) => this.#reader(bytes.subarray(0, count)));
    handle.useUserBuffer(buffer());
  }

  /** Returns undefined, and changes nothing, if the socket cannot do it: with TLS, or on another Node. */
  static begin(socket: Socket, buffer: () => Buffer, reader: Reader): DirectReads | undefined {
    const { _handle: handle } = socket as { _handle?: Partial<Handle> | null };
    if (!readFields || Object.getPrototypeOf(socket) !== Socket.prototype || !handle?.useUserBuffer) return undefined;
    return new DirectReads(socket, readFields, handle as Handle, buffer, reader);
  }

  /** The socket is an ordinary stream from now on, and paused as one. */
  end(): void {
    const socket = this.#socket;
    this.#reader = (bytes) => socket.push(Buffer.from(bytes));
    // Its own `pause` stops the handle, which a reader of the stream does not start again.
    Readable.prototype.pause.call(socket);
  }
}

/** Found on a socket that has the option. */
const readFields: ReadFields | undefined = findReadFields();

function findReadFields(): ReadFields | undefined {
  const socket = new Socket({ onread: { buffer: Buffer.alloc(1), callback: () => true } });
  const symbols = Object.getOwnPropertySymbols(socket);
  const [buffer, callback, next] = ["kBuffer", "kBufferCb", "kBufferGen"].map((name) =>
    symbols.find(({ description }) => description === name),
  );
  socket.destroy();
  return buffer && callback && next && { buffer, callback, next };
}
