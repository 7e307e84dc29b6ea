import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** Starts a registry that the listener answers for. On 127.0.0.1 the engine uses plain HTTP. */
export async function openRegistry(listener: RequestListener): Promise<{ host: string; close(): void }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

export async function withRegistry(listener: RequestListener, work: (host: string) => Promise<void>): Promise<void> {
  const registry = await openRegistry(listener);
  try {
    await work(registry.host);
  } finally {
    registry.close();
  }
}

/** Responds like a registry without images (OCI Distribution Specification, "Pulling manifests"). */
export const emptyRegistry: RequestListener = (request, response) => {
  const isPing = request.url === "/v2/";
  response.writeHead(isPing ? 200 : 404, { "content-type": "application/json" });
  response.end(isPing ? "{}" : JSON.stringify({ errors: [{ code: "MANIFEST_UNKNOWN", message: "manifest unknown" }] }));
};
