import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { codeOf, commandLineDonePath, commandLinePath, SessionKey } from "@appserver/contracts/command-line";

const waitMs = 300_000;

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
    const received = sessionFor(server, { state, key, next: new URL(commandLineDonePath, http).href });
    show(new URL(`${commandLinePath}?${query}`, http).href, codeOf(asked));
    return await received;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

interface ExpectedSession {
  readonly state: string;
  readonly key: SessionKey;
  /** Where the browser goes then. The address with the session does not stay in it. */
  readonly next: string;
}

/** Other requests to the port, of any page in the browser, are refused and change nothing. */
function sessionFor(server: Server, { state, key, next }: ExpectedSession): Promise<string> {
  const signal = AbortSignal.timeout(waitMs);
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("no session was given within five minutes")), { once: true });
    server.on("request", (request, response) => {
      const target = URL.parse(request.url ?? "/", "http://127.0.0.1");
      const query = target?.searchParams ?? new URLSearchParams();
      const token = query.get("state") === state ? opened(key, query.get("session") ?? "") : undefined;
      response.writeHead(token === undefined ? 400 : 303, {
        ...(token !== undefined && { location: next }),
        "content-type": "text/plain; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'",
        connection: "close",
      });
      response.end(token === undefined ? "This is not the response for which appctl waits." : undefined, () => {
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
