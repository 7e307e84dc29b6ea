// The backend of all gateways: 300 bytes of JSON for every request. GET /body returns 10 MiB, and POST /body reads its whole body.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { largeBytes } from "./large-body.ts";

const body = JSON.stringify({ text: "x".repeat(300 - '{"text":""}'.length) });
const headers = { "content-type": "application/json", "content-length": String(body.length) };
const large = Buffer.alloc(largeBytes, "x");

const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  request.resume();
  if (request.url !== "/body") response.writeHead(200, headers).end(body);
  else if (request.method === "GET") response.writeHead(200, { "content-length": String(large.length) }).end(large);
  else request.once("end", () => response.writeHead(200, headers).end(body));
}).listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
