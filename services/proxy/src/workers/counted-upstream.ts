import type { SharedUpstream, Upstream, UpstreamReceiver } from "../ports.ts";

type UpstreamRequest = Parameters<Upstream["send"]>[0];

/** An upstream that counts the requests that use it, so that it can be closed after the last one. */
export class CountedUpstream implements SharedUpstream {
  readonly #upstream: Upstream;
  #requests = 0;
  #isUsed = false;
  #onIdle: (() => void) | undefined;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  get requests(): number {
    return this.#requests;
  }

  acquire(): void {
    this.#requests += 1;
  }

  release(): void {
    this.#requests -= 1;
    if (this.#requests === 0) this.#onIdle?.();
  }

  use(): void {
    this.#isUsed = true;
  }

  /** Returns whether a request uses the upstream now, or one that counts has begun since the last call. */
  takeUse(): boolean {
    const isUsed = this.#isUsed || this.#requests > 0;
    this.#isUsed = false;
    return isUsed;
  }

  get host(): string {
    return this.#upstream.host;
  }

  target(path: string): string {
    return this.#upstream.target(path);
  }

  send(request: UpstreamRequest, receiver: UpstreamReceiver): void {
    this.#upstream.send(request, receiver);
  }

  follow(addresses: readonly string[]): void {
    this.#upstream.follow?.(addresses);
  }

  /** Calls `onIdle` once no request uses the upstream. No request may begin to use it after this call. */
  whenIdle(onIdle: () => void): void {
    if (this.#requests === 0) onIdle();
    else this.#onIdle = onIdle;
  }

  /** Closes the connections as {@link Upstream.close} does, also if requests still use it. */
  close(graceMs?: number): Promise<void> {
    return this.#upstream.close(graceMs);
  }
}
