import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { resolve } from "node:path";
import { test } from "node:test";
import { defaultContainerUser } from "@appserver/contracts/names";
import { gateContainerOf, gateProgram, waitArguments } from "./network-gate.ts";

/** Of the image, `/app` is the folder of the repository. */
const program = resolve(import.meta.dirname, "../../../..", gateProgram.replace(/^\/app\//, ""));
/** More than the gate waits for. */
const slow = { timeout: 30_000 };

async function listening(port = 0): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.on("error", () => {}).end()).listen(port, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as { readonly port: number }).port };
}

interface Started {
  readonly isOpen: () => boolean;
  readonly ended: Promise<{ readonly exitCode: number; readonly text: string }>;
}

function gate(platform: readonly string[], apiPort?: number): Started {
  const env = apiPort === undefined ? {} : { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(apiPort) };
  const child = spawn(process.execPath, [program, "wait", ...platform], { env, stdio: ["ignore", "ignore", "pipe"] });
  const texts: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => texts.push(text));
  const ended = once(child, "close").then(([exitCode]) => ({ exitCode: Number(exitCode), text: texts.join("") }));
  return { isOpen: () => child.exitCode !== null, ended };
}

test("the gate opens when the API server refuses and the platform accepts", slow, async () => {
  const [api, platform] = [await listening(), await listening()];
  const { isOpen, ended } = gate(["127.0.0.1", `${platform.port}`], api.port);
  await once(api.server, "connection");
  await once(api.server, "connection");
  assert.equal(isOpen(), false);
  api.server.close();
  assert.deepEqual(await ended, { exitCode: 0, text: "" });
  platform.server.close();
});

test("a pod whose network does not work yet does not pass the gate", slow, async () => {
  const [api, platform] = [await listening(), await listening()];
  for (const { server } of [api, platform]) {
    server.close();
    await once(server, "close");
  }
  const { isOpen, ended } = gate(["127.0.0.1", `${platform.port}`], api.port);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  assert.equal(isOpen(), false);
  const { server } = await listening(platform.port);
  assert.deepEqual(await ended, { exitCode: 0, text: "" });
  server.close();
});

test("after ten seconds the gate ends with what it still reaches, or with what it does not reach", slow, async () => {
  const { server, port } = await listening();
  const [open, unknown] = await Promise.all([
    gate(["127.0.0.1", `${port}`], port).ended,
    gate(["platform.invalid", "8080"], port).ended,
  ]);
  server.close();
  assert.equal(open.exitCode, 1);
  assert.match(open.text, /after 10 s this pod still reaches the API server at 127\.0\.0\.1:\d+: no NetworkPolicy/);
  assert.equal(unknown.exitCode, 1);
  assert.match(
    unknown.text,
    /after 10 s this pod does not reach the platform at platform\.invalid:8080 \((ENOTFOUND|EAI_AGAIN)\)/,
  );
});

test("the gate ends with a reason if it knows no API server", async () => {
  const { exitCode, text } = await gate(["127.0.0.1", "1"]).ended;
  assert.equal(exitCode, 1);
  assert.match(text, /KUBERNETES_SERVICE_HOST is not set/);
});

test("each image of the platform has the program and the Node that runs it", () => {
  const stages = readFileSync(resolve(import.meta.dirname, "../../../../deploy/Dockerfile"), "utf8").split(/^FROM /m);
  const { command } = gateContainerOf("image") as { readonly command: readonly string[] };
  assert.deepEqual(command, ["/usr/local/bin/node", gateProgram]);
  assert.ok(existsSync(program));
  // `base` is that of server and orchestrator.
  for (const name of ["base", "up"]) {
    const stage = stages.find((each) => each.split("\n")[0]?.endsWith(` AS ${name}`)) ?? assert.fail(name);
    assert.match(stage, /^COPY --from=\S+ \/usr\/local\/bin\/node \/usr\/local\/bin\/node$/m);
    assert.match(stage, /^COPY --from=\S+ \/app \/app$/m);
    assert.match(stage, new RegExp(`^USER ${defaultContainerUser}$`, "m"));
  }
});

test("the gate waits for the platform where the app calls it", () => {
  const of = (environment: Record<string, string>) => waitArguments({ name: "app", environment });
  const graphql = "https://platform.example.com/graphql";
  assert.deepEqual(of({ APPSERVER_HTTP_URL: "http://appserver.platform.svc:8080", APPSERVER_GRAPHQL_URL: graphql }), [
    "wait",
    "appserver.platform.svc",
    "8080",
  ]);
  assert.deepEqual(of({ APPSERVER_GRAPHQL_URL: graphql }), ["wait", "platform.example.com", "443"]);
  assert.deepEqual(of({ APPSERVER_HTTP_URL: "http://[fd00::5]" }), ["wait", "fd00::5", "80"]);
  assert.throws(() => of({}), /app: the gate needs the platform's APPSERVER_HTTP_URL, got none/);
});
