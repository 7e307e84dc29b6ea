import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { type PlatformUnderTest, startPlatform } from "@appserver/testing/kit";
import { installPackage } from "../../kit/install-package.ts";

const run = promisify(execFile);
const folder = join(import.meta.dirname, "conformance");
const suite = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

/**
 * The scenarios of the suite for what the platform has. The others call tools, prompts and resources of the suite's own example server, ask for
 * what is optional (completion, sampling, elicitation, tasks), or for what the revision 2026-07-28 has removed (sessions).
 */
const scenarios = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-error",
  "resources-list",
  "sep-2164-resource-not-found",
  "dns-rebinding-protection",
  "http-header-validation",
  "input-required-result-unsupported-methods",
];

/** Their checks that need a tool or a prompt of the suite's own example server. */
const foreign: Readonly<Record<string, readonly string[]>> = {
  "server-stateless": ["sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"],
  caching: ["sep-2549-prompts-list-caching-hints"],
};

/** docs/interface/mcp.md, by the suite of the protocol. */
describe("the conformance suite of the Model Context Protocol", () => {
  let platform: PlatformUnderTest;
  let server: Server;
  let url = "";
  before(async () => {
    installPackage(folder);
    platform = await startPlatform();
    const authorization = `Bearer ${await platform.sessionToken("admin")}`;
    // The suite sends no credentials.
    server = createServer((inbound, response) => forward(new URL(platform.httpUrl), authorization, inbound, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://localhost:${(server.address() as AddressInfo).port}/mcp`;
  });
  after(async () => {
    server?.closeAllConnections();
    server?.close();
    await platform?.stop();
  });

  /** Returns what the suite prints. */
  const results = async (scenario: string): Promise<string> => {
    const args = [suite, "server", "--url", url, "--scenario", scenario];
    const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error: { stdout: string }) => error);
    return stdout;
  };

  for (const scenario of scenarios)
    test(scenario, async () => {
      const printed = await results(scenario);
      assert.match(printed, /Passed: ([1-9]\d*)\/\1, 0 failed/, printed);
    });

  for (const [scenario, known] of Object.entries(foreign))
    test(`${scenario}, without what needs the suite's own server`, async () => {
      const printed = await results(scenario);
      const failed = [...printed.matchAll(/\[(\S+)\s*\] \S*FAILURE/g)].map(([, check = ""]) => check);
      assert.deepEqual(failed.toSorted(), known.toSorted(), printed);
    });
});

function forward(target: URL, authorization: string, inbound: IncomingMessage, response: ServerResponse): void {
  const { hostname, port } = target;
  const headers = { ...inbound.headers, authorization };
  const outbound = request({ hostname, port, path: inbound.url, method: inbound.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outbound.on("error", () => response.destroy());
  inbound.pipe(outbound);
  response.on("close", () => outbound.destroy());
}
