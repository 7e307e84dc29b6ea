import type { LookupFunction } from "node:net";
import type { BodyReader, BodySource, Clock } from "@appserver/kernel";
import type { AddressRules, Endpoint, Outbound, Upstream, UpstreamReceiver, UpstreamRequest } from "@appserver/kernel/ports";

/** Options that differ between tests. Without them only public addresses are allowed. */
export interface OutboundRules extends Partial<AddressRules> {
  readonly endpoints?: () => readonly Endpoint[];
  readonly lookup?: LookupFunction;
  readonly clock?: Clock;
}

/** Creates the driver under test. */
export type OpenOutbound = (rules: OutboundRules) => Outbound;

/** Returns the body of the response to `GET` of a path, or the kind of failure. */
export function textOf(upstream: Upstream, path = "/"): Promise<string> {
  return resultOf(upstream, { path });
}

/** Returns the body of the response to a request, or the kind of failure. */
export function resultOf(upstream: Upstream, request: Partial<UpstreamRequest> = {}): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const receiver: UpstreamReceiver = {
      onStart: () => {},
      onHead: () => {},
      onData: (chunk) => {
        text += chunk.toString();
        return false;
      },
      onEnd: () => resolve(text),
      onUpgrade: (_, socket) => socket.destroy(),
      onError: ({ kind }) => resolve(kind),
    };
    upstream.send({ method: "GET", path: "/", headers: [], body: undefined, ...request }, receiver);
  });
}

/** A body whose bytes the test pushes. */
export class PushedBody implements BodySource {
  #reader: BodyReader | undefined;
  #waiting: Uint8Array[] = [];

  push(bytes: Uint8Array): void {
    if (this.#reader) this.#reader.onData(bytes);
    else this.#waiting.push(bytes);
  }

  read(reader: BodyReader): void {
    this.#reader = reader;
    for (const bytes of this.#waiting.splice(0)) reader.onData(bytes);
  }

  pause(): void {}

  resume(): void {}

  stop(): void {
    this.#reader = undefined;
  }
}
