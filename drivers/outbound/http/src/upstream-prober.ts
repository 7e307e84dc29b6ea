import { requestFailure } from "@appserver/kernel";
import type { DocumentRequest, ReadDocument } from "@appserver/kernel/ports";
import { Agent, request } from "undici";
import { connectTimeoutMs } from "./open-socket.ts";
import type { UpstreamConnections } from "./upstream-connections.ts";

/** Sends GETs: probes of health, and documents. The address rules are those of proxied calls. */
export class UpstreamProber {
  readonly #checked: Agent;
  readonly #managed: Agent;

  constructor(connections: UpstreamConnections) {
    this.#checked = new Agent({ connect: connections.connector(), pipelining: 0 });
    this.#managed = new Agent({ connect: { timeout: connectTimeoutMs, allowH2: false }, pipelining: 0 });
  }

  /**
   * Returns undefined on a response of 2xx or 3xx in time, else the problem. Redirects are not followed, because an upstream
   * must not redirect the platform to another address.
   */
  async probe(url: string, timeoutMs: number): Promise<string | undefined> {
    try {
      const { statusCode, body } = await request(url, { dispatcher: this.#checked, signal: AbortSignal.timeout(timeoutMs) });
      await body.dump();
      return statusCode >= 200 && statusCode < 400 ? undefined : `GET ${url} returned ${statusCode}`;
    } catch (error) {
      return `GET ${url}: ${requestFailure(error, timeoutMs)}`;
    }
  }

  /** Reads a document. Rejects if it takes too long, or is too large. Redirects are not followed, as in {@link probe}. */
  async get(url: string, { timeoutMs, maxBytes, managed = false, headers = {} }: DocumentRequest): Promise<ReadDocument> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { statusCode: status, body } = await request(url, {
        dispatcher: managed ? this.#managed : this.#checked,
        signal,
        headers: { accept: "application/json", ...headers },
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.byteLength;
        if (size > maxBytes) throw new RangeError(`the document has more than ${maxBytes} bytes`);
        chunks.push(chunk);
      }
      return { status, body: Buffer.concat(chunks) };
    } catch (cause) {
      throw new Error(`GET ${url}: ${requestFailure(cause, timeoutMs)}`, { cause });
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#checked.destroy(), this.#managed.destroy()]);
  }
}
