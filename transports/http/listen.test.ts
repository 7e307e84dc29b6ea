import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { listen } from "./listen.ts";

test("a connection that cannot be accepted is logged, and the server continues", async () => {
  const warnings: object[] = [];
  const server = createServer((_request, response) => response.end("served"));
  const address = { host: "127.0.0.1", port: 0 };
  const logger = { ...silentLogger, warn: (fields: object) => warnings.push(fields) };
  const { host, port } = await listen(server, address, "APPSERVER_HTTP_PORT", logger);
  // Node emits it if the operating system refuses to accept a connection, for example without memory for another socket.
  const err = Object.assign(new Error("accept ENOBUFS"), { code: "ENOBUFS" });
  server.emit("error", err);
  assert.deepEqual(warnings, [{ err, host, port }]);
  assert.equal(await (await fetch(`http://${host}:${port}/`)).text(), "served");
  server.close();
});
