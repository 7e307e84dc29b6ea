import type { KeyObject } from "node:crypto";
import { cookieTokenPrefix } from "@appserver/contracts/command-line";
import {
  AppError,
  anonymousCaller,
  type Caller,
  type Clock,
  type CredentialedRequest,
  isCrossSite,
  isPromise,
  type MaybePromise,
  Rejection,
  withoutBlanks,
} from "@appserver/kernel";
import { refuseDisabled } from "../../domain/disabled-app.ts";
import { keyOfMachineToken, machineTokenPrefix } from "../../domain/machine-token.ts";
import { isSafeMethod } from "../../domain/safe-method.ts";
import type { AppKeys, Cache, IdentityProvider, MachineTokens, Metrics } from "../../ports.ts";
import { AppSignatures } from "./app-signature.ts";
import { AuthenticationCounter, type CredentialKind } from "./authentication-counter.ts";
import { type Reauthentication, reauthenticationOf } from "./reauthentication.ts";
import { PresentedSession, Sessions } from "./sessions.ts";
import { validKeys } from "./valid-keys.ts";

export interface CallerAuthenticatorDeps {
  readonly identity: IdentityProvider;
  /** Finds service accounts. */
  readonly machines: MachineTokens;
  readonly apps: Pick<AppKeys, "find">;
  /** Stores the signatures of unsafe requests. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** How long a session check is reused, in milliseconds; 0: never (docs/interface/permissions.md#sessions). */
  readonly sessionCacheTtlMs: number;
  /** Origins, in addition to the platform's own, whose pages may use a session cookie for unsafe requests. */
  readonly allowedOrigins: readonly string[];
}

/** The session of a browser. */
export interface BrowserSession {
  readonly caller: Caller;
  /** A bearer token for it. */
  readonly token: string;
}

/** Authenticates the sender of a request, for every listener. */
export class CallerAuthenticator {
  readonly #deps: CallerAuthenticatorDeps;
  readonly #signatures: AppSignatures;
  readonly #sessions: Sessions;
  readonly #cookieName: string;
  readonly #allowedOrigins: ReadonlySet<string>;
  readonly #counters: Readonly<Record<CredentialKind, AuthenticationCounter>>;

  constructor(deps: CallerAuthenticatorDeps) {
    this.#deps = deps;
    this.#signatures = new AppSignatures(deps);
    this.#sessions = new Sessions({ ...deps, cacheTtlMs: deps.sessionCacheTtlMs });
    deps.identity.onSessionsEnded?.(() => this.#sessions.forgetAll());
    this.#cookieName = deps.identity.sessionCookieName;
    this.#allowedOrigins = new Set(deps.allowedOrigins);
    this.#counters = {
      signature: new AuthenticationCounter(deps.metrics, "signature"),
      bearer: new AuthenticationCounter(deps.metrics, "bearer"),
      cookie: new AuthenticationCounter(deps.metrics, "cookie"),
    };
  }

  /**
   * Returns the caller, or anonymous if there are no credentials. App headers take precedence over a bearer token, and a bearer
   * token over the cookie. A bad credential never falls through to the next.
   *
   * Throws or rejects with AUTHENTICATION_FAILED, PERMISSION_DENIED (second factor; a page of another site),
   * SERVICE_UNAVAILABLE, or an error of `readBody`.
   */
  authenticate(request: CredentialedRequest): MaybePromise<Caller> {
    const credential = this.#credentialOf(request);
    if (credential === "signature") return this.#counters.signature.count(this.#signatures.verify(request));
    if (credential === "none") return anonymousCaller;
    return "tokenKey" in credential ? this.#identifyMachine(credential) : this.#identify(credential, request);
  }

  /**
   * Returns the user of the session cookie, and a bearer token for the same session. Undefined without a cookie. Other credentials do not
   * count. Throws or rejects as {@link authenticate}.
   */
  browserSession(request: CredentialedRequest): MaybePromise<BrowserSession | undefined> {
    const cookie = this.#cookieOf(request);
    if (cookie === undefined) return undefined;
    const token = `${cookieTokenPrefix}${cookie}`;
    const caller = this.#identify(sessionIn("cookie", cookie), request);
    return isPromise(caller) ? caller.then((known) => ({ caller: known, token })) : { caller, token };
  }

  /** Asks the identity provider at the next use of the session cookie: the session may have ended. */
  forgetSession(request: CredentialedRequest): void {
    for (const value of cookieValues(request.header("cookie"), this.#cookieName))
      this.#sessions.forget(new PresentedSession({ kind: "cookie", value }));
  }

  /**
   * Returns the app whose key a client used as its TLS certificate: the registered one, or that of a running deployment. Requests
   * of such a connection need no signature. Rejects with AUTHENTICATION_FAILED for another key, or if the certificate of that key
   * is not valid now, and with PERMISSION_DENIED if the app is disabled.
   */
  async authenticateCertificate(appName: string, publicKey: KeyObject): Promise<Caller> {
    const { apps, clock } = this.#deps;
    const known = await apps.find(appName);
    if (!known || !validKeys(known, clock.now()).some((key) => key.equals(publicKey))) {
      throw new AppError("AUTHENTICATION_FAILED", "the client certificate is not the app's");
    }
    refuseDisabled(appName, known);
    const caller: Caller = { kind: "app", name: appName, id: known.id };
    this.#signatures.remember(caller, publicKey);
    return caller;
  }

  /** Returns a check for long-lived connections: whether `caller`, authenticated by this request, would still be accepted. */
  reauthentication(request: CredentialedRequest, caller: Caller): Reauthentication {
    const { apps, clock } = this.#deps;
    const signedWith = this.#signatures.keyOf(caller);
    return reauthenticationOf(caller, { apps, clock, signedWith, authenticate: () => this.authenticate(request) });
  }

  /** Returns what the headers contain. It is read once for all requests of a connection that have the same ones. */
  #credentialOf(request: CredentialedRequest): Credential {
    const known = request.derived?.get(this) as Credential | undefined;
    if (known !== undefined) return known;
    const credential = this.#readCredential(request);
    request.derived?.set(this, credential);
    return credential;
  }

  #readCredential(request: CredentialedRequest): Credential {
    if (AppSignatures.claims(request)) return "signature";
    const token = bearerToken(request.header("authorization"));
    if (token?.startsWith(machineTokenPrefix)) return { tokenKey: keyOfMachineToken(token) };
    if (token !== undefined) return sessionIn("bearer", token);
    const cookie = this.#cookieOf(request);
    return cookie === undefined ? "none" : sessionIn("cookie", cookie);
  }

  #cookieOf(request: CredentialedRequest): string | undefined {
    const [cookie, another] = cookieValues(request.header("cookie"), this.#cookieName);
    // Otherwise an app that can set a cookie for some path of this host could choose which session is used there.
    if (another !== undefined) return this.#counters.cookie.fail(severalSessions());
    return cookie;
  }

  #identify({ kind, session }: SessionIn, request: CredentialedRequest): MaybePromise<Caller> {
    const counter = this.#counters[kind];
    try {
      if (kind === "cookie") this.#refuseOtherSites(request);
      if (session === undefined) {
        throw new Rejection("AUTHENTICATION_FAILED", "credentials_malformed", "The session credential is empty.");
      }
      return counter.count(this.#sessions.identify(session));
    } catch (error) {
      return counter.fail(error);
    }
  }

  #identifyMachine({ tokenKey }: MachineTokenIn): MaybePromise<Caller> {
    const counter = this.#counters.bearer;
    try {
      if (tokenKey === undefined)
        throw new Rejection("AUTHENTICATION_FAILED", "credentials_malformed", "The token of a service account is malformed.");
      return counter.count(this.#deps.machines.identify(tokenKey));
    } catch (error) {
      return counter.fail(error);
    }
  }

  #refuseOtherSites(request: CredentialedRequest): void {
    if (isSafeMethod(request.method) && request.isUpgrade !== true) return;
    const context = {
      origin: request.header("origin"),
      secFetchSite: request.header("sec-fetch-site"),
      host: request.header("host"),
    };
    if (isCrossSite(context, this.#allowedOrigins)) {
      throw new Rejection("PERMISSION_DENIED", "cross_site", "Another site's page may not act with this session.");
    }
  }
}

/** A header with a session. */
interface SessionIn {
  readonly kind: "bearer" | "cookie";
  /** Undefined if it is empty. */
  readonly session: PresentedSession | undefined;
}

/** A token of a service account. A browser has none, so that cookies contain none. */
interface MachineTokenIn {
  /** Undefined if it is malformed. */
  readonly tokenKey: string | undefined;
}

type Credential = SessionIn | MachineTokenIn | "signature" | "none";

/** A token can be the value of a cookie, which no page of another site can read and send in a header. */
function sessionIn(kind: "bearer" | "cookie", value: string): SessionIn {
  const isCookie = kind === "bearer" && value.startsWith(cookieTokenPrefix);
  const credential = isCookie ? ({ kind: "cookie", value: value.slice(cookieTokenPrefix.length) } as const) : { kind, value };
  return { kind, session: value === "" ? undefined : new PresentedSession(credential) };
}

/** Undefined if the header is absent or has another scheme. Other schemes are for the upstream. */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || !/^bearer(?: |$)/i.test(authorization)) return undefined;
  return authorization.slice("bearer".length).trim();
}

/** Returns every cookie with that name, as sent. */
function cookieValues(header: string | undefined, name: string): readonly string[] {
  if (header === undefined || !header.includes(name)) return [];
  const values: string[] = [];
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && withoutBlanks(pair.slice(0, at)) === name) values.push(withoutBlanks(pair.slice(at + 1)));
  }
  return values;
}

function severalSessions(): Rejection {
  return new Rejection("AUTHENTICATION_FAILED", "credentials_malformed", "The request has more than one session cookie.");
}
