// Records each request before it responds: node activity-oracle-process.ts <file> POST /acknowledged/<run>, POST
// /executed/<run>. Prints its URL first.
import { openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [path = ""] = process.argv.slice(2);
const file = openSync(path, "a");

const server = createServer((request, response) => {
  writeSync(file, `${(request.url ?? "").slice(1)}\n`);
  request.resume();
  response.end();
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
