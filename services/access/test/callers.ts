import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { signedMessage } from "@appserver/contracts/signature";
import { type Caller, type CredentialedRequest, type ReasonId, Rejection } from "@appserver/kernel";
import { FakeClock, MapCache, MapIdentity, RecordingMetrics } from "@appserver/testing/kit";
import type { AppKey, MachineTokens } from "../src/ports.ts";
import { CallerAuthenticator, type CallerAuthenticatorDeps } from "../src/use-cases/authenticate-caller/authenticate-caller.ts";

export const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
export const iso = (ms: number): string => new Date(ms).toISOString();

interface Signed {
  readonly method?: string;
  readonly url?: string;
  readonly body?: string;
  readonly at?: number;
  readonly key?: KeyObject;
  readonly app?: string;
  /** The URL that the signer used. */
  readonly signedUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** No token of a service account is valid. */
export const noMachines: MachineTokens = {
  identify: () => {
    throw new Rejection("AUTHENTICATION_FAILED", "token_invalid", "The token is not valid.");
  },
};

export class Scene {
  readonly clock = new FakeClock();
  readonly cache = new MapCache(this.clock);
  readonly identity = new MapIdentity();
  readonly metrics = new RecordingMetrics();
  readonly keys = new Map<string, AppKey>([["clock", { id: "id-clock", key: createPublicKey(rsa.privateKey) }]]);
  readonly #deps: Partial<CallerAuthenticatorDeps>;

  constructor(deps: Partial<CallerAuthenticatorDeps> = {}) {
    this.#deps = deps;
  }

  #authenticator: CallerAuthenticator | undefined;

  async who(request: CredentialedRequest): Promise<Caller> {
    return this.authenticator.authenticate(request);
  }

  get authenticator(): CallerAuthenticator {
    const { identity, cache, clock, metrics } = this;
    const apps = { find: (name: string) => this.keys.get(name) };
    const options = { sessionCacheTtlMs: 0, allowedOrigins: [] };
    this.#authenticator ??= new CallerAuthenticator({
      identity,
      machines: noMachines,
      apps,
      cache,
      clock,
      metrics,
      ...options,
      ...this.#deps,
    });
    return this.#authenticator;
  }

  signed(signed: Signed = {}): CredentialedRequest {
    const {
      method = "GET",
      url = "/api/apps/notes/x",
      body = "",
      at = this.clock.now(),
      key = rsa.privateKey,
      app = "clock",
    } = signed;
    const timestamp = iso(at);
    const message = signedMessage(method, signed.signedUrl ?? url, timestamp, Buffer.from(body));
    const signature = sign("sha256", message, key).toString("base64");
    const headers = { host: "h", "x-app-name": app, "x-app-signature": signature, "x-request-timestamp": timestamp };
    return plain({ ...headers, ...signed.headers }, { method, url, body });
  }
}

export function plain(
  headers: Record<string, string>,
  more: { method?: string; url?: string; body?: string; isUpgrade?: boolean } = {},
) {
  const { method = "GET", url = "/", body = "", isUpgrade = false } = more;
  return { method, url, isUpgrade, header: (name: string) => headers[name], readBody: () => Buffer.from(body) };
}

export const because = (reason: ReasonId) => (error: unknown) => error instanceof Rejection && error.reasonId === reason;
export const clockApp: Caller = { kind: "app", name: "clock", id: "id-clock" };
