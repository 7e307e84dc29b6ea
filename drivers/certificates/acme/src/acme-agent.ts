import type { X509Certificate } from "node:crypto";
import { Agent } from "node:https";
import { backoffMs, type Clock, type Component, type Logger } from "@appserver/kernel";
import { CertificateFolder } from "./certificate-folder.ts";
import { ChallengeServer } from "./challenge-server.ts";
import { selfSigned } from "./self-signed.ts";

export interface AcmeOptions {
  readonly directoryUrl: string;
  /** Where the authority writes to before a certificate ends. */
  readonly email?: string | undefined;
  /** Names of the certificate. The first one is that of the public URL. */
  readonly hosts: readonly string[];
  readonly folder: string;
  /** Of the server for challenges and redirects. */
  readonly bindAddress: string;
  readonly httpPort: number;
  readonly publicOrigin: string;
  /** Certificates (PEM) of an authority whose directory public ones do not sign. */
  readonly authorityCertificates?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An authority counts failed orders, and refuses more of them for an hour. */
const pauses = { firstMs: 60_000, maxMs: 6 * 3_600_000, jitter: 0.1 } as const;
const lookIntervalMs = 3_600_000;
/** The part of its life after which a certificate is renewed. */
const renewedAfter = 2 / 3;

/**
 * Gets certificates by ACME (RFC 8555) with challenges of HTTP-01, and renews them. Servers read them from files, which exist as soon
 * as `start` has resolved: the first certificate is one that no client trusts.
 */
export class AcmeAgent implements Component {
  readonly name = "ACME";
  readonly files: CertificateFolder;
  readonly challenges: ChallengeServer;
  readonly #options: AcmeOptions;
  readonly #stopped = new AbortController();

  constructor(options: AcmeOptions) {
    this.#options = options;
    this.files = new CertificateFolder(options.folder);
    this.challenges = new ChallengeServer({
      host: options.bindAddress,
      port: options.httpPort,
      publicOrigin: options.publicOrigin,
      logger: options.logger,
    });
  }

  async start(): Promise<void> {
    const { hosts, clock } = this.#options;
    await this.files.prepare(() => selfSigned(hosts, clock.now()));
    await this.challenges.start();
    void this.#renewForEver();
  }

  async stop(): Promise<void> {
    // An order in progress is left to its time limits: the next start begins another one.
    this.#stopped.abort();
    await this.challenges.stop();
  }

  async #renewForEver(): Promise<void> {
    const { clock, logger, hosts } = this.#options;
    const { signal } = this.#stopped;
    let failures = 0;
    while (!signal.aborted) {
      let pause = lookIntervalMs;
      try {
        const left = dueAt(await this.files.read(), hosts) - clock.now();
        if (left <= 0) await this.#renew();
        else pause = Math.min(pause, left);
        failures = 0;
      } catch (error) {
        failures += 1;
        pause = backoffMs(failures, pauses);
        if (!signal.aborted)
          logger.warn({ err: error, retryMs: pause, hosts }, "acme: no certificate; the last one stays in use; retrying");
      }
      await clock.sleep(pause, signal).catch(() => {});
    }
  }

  async #renew(): Promise<void> {
    const { directoryUrl, email, hosts, authorityCertificates, logger } = this.#options;
    const { tokens } = this.challenges;
    const acme = await import("acme-client");
    if (authorityCertificates !== undefined) acme.axios.defaults.httpsAgent = new Agent({ ca: authorityCertificates });
    const accountKey = await this.files.accountKey(async () => (await acme.crypto.createPrivateEcdsaKey()).toString());
    const client = new acme.Client({ directoryUrl, accountKey });
    // Without this, the client would update a known account with nothing, which authorities refuse. An unknown one is made below.
    await client.createAccount({ onlyReturnExisting: true }).catch(() => {});
    const [key, csr] = await acme.crypto.createCsr(
      { commonName: hosts[0] ?? "", altNames: [...hosts] },
      await acme.crypto.createPrivateEcdsaKey(),
    );
    const cert = await client.auto({
      csr,
      ...(email !== undefined && { email }),
      termsOfServiceAgreed: true,
      // The platform may be behind a router that does not lead its own address back to it.
      skipChallengeVerification: true,
      challengePriority: ["http-01"],
      challengeCreateFn: async (_authorization, { token }, keyAuthorization) => void tokens.set(token, keyAuthorization),
      challengeRemoveFn: async (_authorization, { token }) => void tokens.delete(token),
    });
    await this.files.replace({ cert, key: key.toString() });
    const { validTo } = await this.files.read();
    logger.info({ hosts, validTo }, "acme: the authority has signed a certificate");
  }
}

/** Returns when the certificate is renewed, in epoch ms. At once if it signs itself, or lacks a name. */
function dueAt(certificate: X509Certificate, hosts: readonly string[]): number {
  const { issuer, subject, validFromDate, validToDate } = certificate;
  if (issuer === subject || !hosts.every((host) => certificate.checkHost(host) !== undefined)) return 0;
  const from = validFromDate.getTime();
  return from + (validToDate.getTime() - from) * renewedAfter;
}
