import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ProviderOptions } from "../src/oidc/provider-options.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const other = generateKeyPairSync("rsa", { modulusLength: 2_048 });

export interface ForgedToken {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly signature?: "own" | "other key" | "public key as secret" | "client secret" | "none";
}

/** A provider whose ID tokens are as a test wants them. */
export class ForgingProvider {
  readonly options: ProviderOptions;
  readonly #server: Server;
  forged: ForgedToken = {};
  /** Of the response with tokens. */
  status = 200;
  /** Of the last request of a browser. */
  nonce = "";

  private constructor(server: Server) {
    this.#server = server;
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const preset = { scopes: ["openid"], allowedDomains: [], linkByEmail: "never" } as const;
    this.options = { ...preset, id: "forging", name: "Forging", issuer, clientId: "client", clientSecret: "client-secret" };
  }

  static async start(): Promise<ForgingProvider> {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const started = new ForgingProvider(server);
    server.on("request", (request, response) => {
      request.resume();
      if (request.url === "/token") response.statusCode = started.status;
      response.setHeader("content-type", started.status === 200 ? "application/json" : "text/html");
      response.end(JSON.stringify(started.#answer(request.url ?? "")));
    });
    return started;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #answer(path: string): object {
    const { issuer } = this.options;
    if (path.startsWith("/.well-known")) {
      return {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
      };
    }
    if (path === "/jwks") return { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k", alg: "RS256", use: "sig" }] };
    return { access_token: "a", token_type: "bearer", id_token: this.#token() };
  }

  #token(): string {
    const { claims, header, signature = "own" } = this.forged;
    const now = Math.floor(Date.now() / 1_000);
    const { issuer: iss, clientId: aud } = this.options;
    const body = { iss, aud, sub: "1", name: "Forged", iat: now, exp: now + 60, nonce: this.nonce, ...claims };
    const parts = [{ alg: "RS256", kid: "k", ...header }, body].map((part) => encoded(JSON.stringify(part)));
    const text = parts.join(".");
    const bytes = Buffer.from(text);
    const publicPem = publicKey.export({ type: "spki", format: "pem" });
    const signatures = {
      own: () => sign("sha256", bytes, privateKey),
      "other key": () => sign("sha256", bytes, other.privateKey),
      "public key as secret": () => createHmac("sha256", publicPem).update(bytes).digest(),
      "client secret": () => createHmac("sha256", this.options.clientSecret).update(bytes).digest(),
      none: () => Buffer.alloc(0),
    };
    return `${text}.${signatures[signature]().toString("base64url")}`;
  }
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64url");
}
