import { request } from "node:http";
import { WebSocket } from "ws";

/** A WebSocket or an event stream of the streaming app, with all that it received. */
export interface OpenStream {
  readonly name: string;
  /** The sender of each message, or another text. */
  readonly messages: readonly string[];
  /** How and when it ended. Undefined while it is open. */
  readonly ending: StreamEnding | undefined;
  /** Ends it as its client. */
  close(): void;
}

export interface StreamEnding {
  /** `closed with 1001`, or `ended` for an event stream that the app ended properly. */
  readonly how: string;
  /** In milliseconds of `performance.now()`. */
  readonly at: number;
}

/** Opens a WebSocket through the proxy. Resolves after its first message. */
export async function openWebSocket(httpUrl: string, path: string): Promise<OpenStream> {
  const stream = new RecordedStream(`WebSocket at ${httpUrl}`, () => socket.terminate());
  const socket = new WebSocket(`${httpUrl.replace("http", "ws")}${path}`);
  socket.on("message", (data) => stream.receive(String(data)));
  socket.on("close", (code) => stream.end(`closed with ${code}`));
  socket.on("error", (error) => stream.end(String(error)));
  return await stream.first;
}

/** Opens an event stream through the proxy. Resolves after its first event. */
export async function openEventStream(httpUrl: string, path: string): Promise<OpenStream> {
  const stream = new RecordedStream(`event stream at ${httpUrl}`, () => call.destroy());
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
  return await stream.first;
}

class RecordedStream implements OpenStream {
  readonly name: string;
  readonly messages: string[] = [];
  ending: StreamEnding | undefined;
  readonly close: () => void;
  readonly first: Promise<OpenStream>;
  readonly #first = Promise.withResolvers<OpenStream>();

  constructor(name: string, close: () => void) {
    this.name = name;
    this.close = close;
    this.first = this.#first.promise;
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
