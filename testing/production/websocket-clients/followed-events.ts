import type { PlatformUnderTest } from "@appserver/testing/kit";
import { type OpenEventStream, openEventStream, type ShownEvent } from "../../contract/event-stream.ts";

/** The system events of an app over several connections, each of which names the last event of those before it, as EventSource does. */
export class FollowedEvents {
  readonly received: ShownEvent[] = [];
  readonly #platform: PlatformUnderTest;
  readonly #app: string;
  readonly #after: string;
  #stream: OpenEventStream | undefined;
  #reading: Promise<void> = Promise.resolve();

  /** `after`: the id of the event before the first one to receive. */
  constructor(platform: PlatformUnderTest, app: string, after: string) {
    this.#platform = platform;
    this.#app = app;
    this.#after = after;
  }

  async connect(): Promise<void> {
    const last = this.received.at(-1)?.id ?? this.#after;
    const stream = await openEventStream(this.#platform, this.#app, { "last-event-id": last });
    this.#stream = stream;
    // A killed server does not end the response.
    this.#reading = this.#read(stream).catch(() => {});
  }

  /** Resolves when the server has ended the connection, or the connection is lost. */
  async ended(): Promise<void> {
    await this.#reading;
  }

  async close(): Promise<void> {
    this.#stream?.close();
    await this.#reading;
  }

  async #read({ body }: OpenEventStream): Promise<void> {
    let text = "";
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const parts = `${text}${chunk}`.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const data = /^data: (.*)$/m.exec(part)?.[1];
        if (data !== undefined) this.received.push(JSON.parse(data) as ShownEvent);
      }
    }
  }
}
