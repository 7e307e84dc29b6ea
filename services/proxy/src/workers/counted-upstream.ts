import type { HeldUpstream, Upstream, UpstreamReceiver } from "../ports.ts";

type UpstreamRequest = Parameters<Upstream["send"]>[0];

/** An upstream that counts the exchanges that hold it, so that it can be closed after the last one. */
export class CountedUpstream implements HeldUpstream {
  readonly #upstream: Upstream;
  #exchanges = 0;
  #onIdle: (() => void) | undefined;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  get exchanges(): number {
    return this.#exchanges;
  }

  hold(): void {
    this.#exchanges += 1;
  }

  release(): void {
    this.#exchanges -= 1;
    if (this.#exchanges === 0) this.#onIdle?.();
  }

  target(path: string): string {
    return this.#upstream.target(path);
  }

  send(request: UpstreamRequest, receiver: UpstreamReceiver): void {
    this.#upstream.send(request, receiver);
  }

  /** Calls `onIdle` once no exchange holds the upstream. No exchange may begin to hold it after this call. */
  whenIdle(onIdle: () => void): void {
    if (this.#exchanges === 0) onIdle();
    else this.#onIdle = onIdle;
  }

  /** Closes the connections as {@link Upstream.close} does, also if exchanges still hold it. */
  close(graceMs?: number): Promise<void> {
    return this.#upstream.close(graceMs);
  }
}
