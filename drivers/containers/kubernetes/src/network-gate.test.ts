import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { test } from "node:test";
import { gateProgram } from "./network-gate.ts";

/** Of the image, `/app` is the folder of the repository. */
const program = resolve(import.meta.dirname, "../../../..", gateProgram.replace(/^\/app\//, ""));

test("the gate opens when the API server refuses, and not while it accepts", { timeout: 30_000 }, async () => {
  const server = createServer((socket) => socket.on("error", () => {}).end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  const env = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(port) };
  const gate = spawn(process.execPath, [program], { env, stdio: "inherit" });
  const ended = once(gate, "exit");
  await once(server, "connection");
  await once(server, "connection");
  assert.equal(gate.exitCode, null);
  server.close();
  assert.deepEqual(await ended, [0, null]);
});

test("the gate ends with a reason if it knows no API server", async () => {
  const gate = spawn(process.execPath, [program], { env: {}, stdio: ["ignore", "ignore", "pipe"] });
  const texts: string[] = [];
  gate.stderr.setEncoding("utf8").on("data", (text: string) => texts.push(text));
  assert.deepEqual(await once(gate, "close"), [1, null]);
  assert.match(texts.join(""), /KUBERNETES_SERVICE_HOST is not set/);
});
