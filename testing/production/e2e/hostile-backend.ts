import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A script that leaves a mark when it runs. */
export const hostileScript = "globalThis.ran = globalThis.origin;";
const html = `<!doctype html><title>hostile</title><script>${hostileScript}</script>`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>${hostileScript}</script></svg>`;
const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script>${hostileScript}</script></head></html>`;

/** The responses by path: headers, body, and the status if it is not 200. */
const answers: Readonly<Record<string, readonly [headers: Readonly<Record<string, string>>, body: string, status?: number]>> = {
  "/html": [{ "content-type": "text/html" }, html],
  "/svg": [{ "content-type": "image/svg+xml" }, svg],
  "/xhtml": [{ "content-type": "application/xhtml+xml" }, xhtml],
  "/xml": [{ "content-type": "text/xml" }, xhtml],
  "/application-xml": [{ "content-type": "application/xml" }, xhtml],
  "/no-type": [{}, html],
  "/bad-type": [{ "content-type": "html" }, html],
  "/text": [{ "content-type": "text/plain" }, html],
  "/json": [{ "content-type": "application/json" }, html],
  "/two-types": [{ "content-type": "text/plain, text/html" }, html],
  "/error": [{ "content-type": "text/html" }, html, 500],
  "/weak-policy": [{ "content-type": "text/html", "content-security-policy": "sandbox allow-scripts allow-same-origin" }, html],
  "/worker.js": [{ "content-type": "text/javascript", "service-worker-allowed": "/" }, "onfetch = () => {};"],
  "/clear": [{ "content-type": "text/html", "clear-site-data": '"cookies", "storage"' }, html],
  "/module.js": [{ "content-type": "text/javascript" }, "export const loaded = true;"],
};

export interface HostileBackend {
  readonly url: string;
  stop(): Promise<void>;
}

/** A backend whose pages try to act as the origin that serves them. `stolen` is the session that it tries to set. */
export async function startHostileBackend(stolen: () => string): Promise<HostileBackend> {
  const cookies = () => [
    `${stolen()}; Path=/`,
    `=${stolen()}; Path=/`,
    "wide=1; Path=/; Domain=127.0.0.1",
    "__Host-wide=1; Secure; Path=/",
  ];
  const server = createServer((request, response) => answer(request, response, cookies()));
  server.on("upgrade", (_, socket) => {
    const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
    socket.end(`${[...head, ...cookies().map((cookie) => `Set-Cookie: ${cookie}`)].join("\r\n")}\r\n\r\n`);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, cookies: readonly string[]): void {
  const path = request.url?.split("?", 1)[0] ?? "";
  const [headers, body, status = 200] = answers[path] ?? [{ "content-type": "text/html" }, html, 404];
  response.writeHead(status, path === "/cookies" ? { ...headers, "set-cookie": [...cookies] } : headers).end(body);
}
