import { createHash, timingSafeEqual } from "node:crypto";
import { AppError, type RequestHead } from "@appserver/kernel";
import { AddressList } from "./address-list.ts";
import { HttpStatusError } from "./error-response.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

export interface MetricsAccessOptions {
  /** Addresses or CIDR networks that need no token. */
  readonly allow: readonly string[];
  /** Bearer token that is accepted from every address. Undefined: no token is accepted. */
  readonly token?: string | undefined;
}

/** Restricts `/metrics`, which names every app and route of the platform (ADR 0025). */
export class MetricsAccess {
  readonly #allowed: AddressList;
  readonly #tokenDigest: Buffer | undefined;
  readonly #proxies: TrustedProxies;

  constructor({ allow, token }: MetricsAccessOptions, proxies: TrustedProxies) {
    this.#proxies = proxies;
    this.#tokenDigest = token === undefined ? undefined : digestOf(token);
    this.#allowed = new AddressList(allow);
  }

  /** Throws AUTHENTICATION_REQUIRED for another address without a token, AUTHENTICATION_FAILED with a wrong one. */
  require(request: RequestHead): void {
    const [, token] = /^bearer +(\S+) *$/i.exec(request.header("authorization") ?? "") ?? [];
    if (token !== undefined && this.#tokenDigest && timingSafeEqual(digestOf(token), this.#tokenDigest)) return;
    if (this.#isAllowedAddress(request)) return;
    const refusal =
      token === undefined
        ? new AppError(
            "AUTHENTICATION_REQUIRED",
            "metrics need an allowed address or a bearer token (metrics.allow, metrics.token)",
          )
        : new AppError("AUTHENTICATION_FAILED", "the bearer token is not the one of metrics.token");
    throw new HttpStatusError(401, refusal, { "www-authenticate": 'Bearer realm="metrics"' });
  }

  /** Checks the client's address. The address of an untrusted proxy does not count, because its clients may be anywhere. */
  #isAllowedAddress(request: RequestHead): boolean {
    return this.#proxies.isAddressKnown(request) && this.#allowed.has(this.#proxies.clientOf(request).remoteAddress);
  }
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
