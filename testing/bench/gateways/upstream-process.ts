// The backend of all gateways: 300 bytes of JSON for every request.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const body = JSON.stringify({ text: "x".repeat(300 - '{"text":""}'.length) });
const headers = { "content-type": "application/json", "content-length": String(body.length) };

const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  request.resume();
  response.writeHead(200, headers).end(body);
}).listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
