import { request } from "node:http";
import { WebSocket } from "ws";

/** A WebSocket or an event stream of the streaming app, with all that it received. */
export class OpenStream {
  readonly name: string;
  /** The sender of each message, or another text. */
  readonly messages: string[] = [];
  /**
   * How it ended, and when, in milliseconds of `performance.now()`: `closed with 1001`, or `ended` for an event stream that the
   * app ended properly. Undefined while it is open.
   */
  ending: { readonly how: string; readonly at: number } | undefined;
  /** Ends it as its client. */
  readonly close: () => void;
  readonly #first = Promise.withResolvers<OpenStream>();

  constructor(name: string, close: () => void) {
    this.name = name;
    this.close = close;
  }

  /** Resolves after its first message. */
  get opened(): Promise<OpenStream> {
    return this.#first.promise;
  }

  receive(text: string): void {
    this.messages.push(text);
    this.#first.resolve(this);
  }

  end(how: string): void {
    this.ending ??= { how, at: performance.now() };
    this.#first.reject(new Error(`${this.name} ${how} before its first message`));
  }
}

/** Opens a WebSocket through the proxy. Resolves after its first message. */
export function openWebSocket(httpUrl: string, path: string): Promise<OpenStream> {
  const stream = new OpenStream(`WebSocket at ${httpUrl}`, () => socket.terminate());
  const socket = new WebSocket(`${httpUrl.replace("http", "ws")}${path}`);
  socket.on("message", (data) => stream.receive(String(data)));
  socket.on("close", (code) => stream.end(`closed with ${code}`));
  socket.on("error", (error) => stream.end(String(error)));
  return stream.opened;
}

/** Opens an event stream through the proxy. Resolves after its first event. */
export function openEventStream(httpUrl: string, path: string): Promise<OpenStream> {
  const stream = new OpenStream(`event stream at ${httpUrl}`, () => call.destroy());
  const call = request(`${httpUrl}${path}`, { agent: false });
  call.on("error", (error) => stream.end(String(error)));
  call.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n\n");
      text = lines.pop() ?? "";
      for (const line of lines) stream.receive((JSON.parse(line.replace("data: ", "")) as { instance: string }).instance);
    });
    response.on("end", () => stream.end("ended"));
    response.on("error", (error) => stream.end(String(error)));
  });
  call.end();
  return stream.opened;
}
