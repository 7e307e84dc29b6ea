import { readFile } from "node:fs/promises";
import { type Clock, type Component, every, type Logger } from "@appserver/kernel";
import type { TlsCertificate } from "./dual-protocol-server.ts";

export interface CertificateWatchOptions {
  readonly certFile: string;
  readonly keyFile: string;
  /** What the server uses. The files may have changed since they were read for it. */
  readonly inUse: TlsCertificate;
  /** Uses a new pair. Throws if the pair is invalid. */
  readonly apply: (certificate: TlsCertificate) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often the files are read. Default 5 s. */
  readonly everyMs?: number;
}

/**
 * Uses renewed certificates while the server runs. It reads the files at an interval, because mounted secrets are replaced by
 * links, which file notifications miss. A certificate and a key that do not match, as between two writes, are read again.
 */
export class CertificateWatch implements Component {
  readonly name = "certificate watch";
  readonly #options: CertificateWatchOptions;
  readonly #stopping = new AbortController();
  #current: TlsCertificate;
  #running: Promise<void> | undefined;

  constructor(options: CertificateWatchOptions) {
    this.#options = options;
    this.#current = options.inUse;
  }

  start(): void {
    const { clock, logger, everyMs = 5_000, certFile } = this.#options;
    this.#running = every({
      clock,
      signal: this.#stopping.signal,
      intervalMs: everyMs,
      first: "after a pause",
      run: () => this.#renew(),
      onError: (error) =>
        logger.warn({ err: error, certFile }, "http: the certificate files are invalid; the last certificate stays in use"),
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #renew(): Promise<void> {
    const { logger, apply, certFile } = this.#options;
    const found = await this.#read();
    if (found.cert === this.#current.cert && found.key === this.#current.key) return;
    apply(found);
    this.#current = found;
    logger.info({ certFile }, "http: a new certificate is in use");
  }

  async #read(): Promise<TlsCertificate> {
    const { certFile, keyFile } = this.#options;
    const [cert, key] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
    return { cert, key };
  }
}
