// Answers nginx's `auth_request`: 200 if the cookie belongs to a session whose user may read, else 401. It knows its one session by
// heart, so that the peer pays for the question only.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

process.once("message", (cookie: string) => {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume();
    response.writeHead(request.headers.cookie === cookie ? 200 : 401, { "x-user-id": "someone", "content-length": "0" }).end();
  }).listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
});
process.on("disconnect", () => process.exit());
