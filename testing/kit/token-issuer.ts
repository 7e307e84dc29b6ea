import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";

/** An OpenID issuer of this machine, as a provider of pipelines has one: it signs any claims. */
export interface TokenIssuer {
  readonly url: string;
  /** Paths of the requests so far. */
  readonly requests: string[];
  /** Whether it responds with 500. */
  isDown: boolean;
  /** The public key of the newest key, as a JWK. */
  publicKey(): Promise<string>;
  /** Signs claims with the newest key. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** Takes another key, under another id. */
  rotate(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an issuer with a key of RS256. */
export async function startTokenIssuer(host = "127.0.0.1"): Promise<TokenIssuer> {
  const requests: string[] = [];
  let key: { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey; readonly kid: string };
  let count = 0;
  const rotate = async (): Promise<void> => {
    count += 1;
    key = { ...(await generateKeyPair("RS256")), kid: `key-${count}` };
  };
  await rotate();
  const server = createServer(({ url = "" }, response) => void respond(url, response)).listen(0, host);
  const respond = async (url: string, response: ServerResponse): Promise<void> => {
    requests.push(url);
    const keys = [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: "RS256", use: "sig" }];
    const document = url === "/keys" ? { keys } : { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` };
    response.writeHead(issuer.isDown ? 500 : 200, { "content-type": "application/json" }).end(JSON.stringify(document));
  };
  await once(server, "listening");
  const issuer: TokenIssuer = {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    isDown: false,
    publicKey: async () => JSON.stringify(await exportJWK(key.publicKey)),
    sign: (claims) => new SignJWT({ ...claims }).setProtectedHeader({ alg: "RS256", kid: key.kid }).sign(key.privateKey),
    rotate,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return issuer;
}
