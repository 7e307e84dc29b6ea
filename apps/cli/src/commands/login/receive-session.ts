import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { codeOf, commandLinePath, SessionKey } from "@appserver/contracts/command-line";

const waitMs = 300_000;

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>appctl</title>
<p>appctl has received your session. You can close this page.
`;

/**
 * Waits on a local port for the session that a user gives in the browser (docs/interface/permissions.md#command-line).
 *
 * @param show - Receives the address that the browser must open, and the code that its page shows.
 * @returns A bearer token. Rejects after five minutes.
 */
export async function receiveSession(http: string, show: (url: string, code: string) => void): Promise<string> {
  const key = new SessionKey();
  const state = randomBytes(24).toString("base64url");
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const asked = { port, state, key: key.publicKey };
    const query = new URLSearchParams({ ...asked, port: String(port) });
    const received = sessionFor(server, state, key, AbortSignal.timeout(waitMs));
    show(new URL(`${commandLinePath}?${query}`, http).href, codeOf(asked));
    return await received;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Other requests to the port, of any page in the browser, are refused and change nothing. */
function sessionFor(server: Server, state: string, key: SessionKey, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("no session was given within five minutes")), { once: true });
    server.on("request", (request, response) => {
      const target = URL.parse(request.url ?? "/", "http://127.0.0.1");
      const query = target?.searchParams ?? new URLSearchParams();
      const token = query.get("state") === state ? opened(key, query.get("session") ?? "") : undefined;
      response.writeHead(token === undefined ? 400 : 200, {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'",
        connection: "close",
      });
      response.end(token === undefined ? "This is not the response for which appctl waits." : page, () => {
        if (token !== undefined) resolve(token);
      });
    });
  });
}

function opened(key: SessionKey, sealed: string): string | undefined {
  try {
    return key.open(sealed);
  } catch {
    return undefined;
  }
}
