import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ensureAppKeys } from "@appserver/sdk";
import { RunningPlatform, send } from "@appserver/testing/kit";
import { answerOf, authorizeUrl, callback, consentPageOf, redemption } from "./agent-sign-in.ts";

/** docs/interface/mcp.md#consent: programs that publish a description of themselves. */
describe("programs with a client id metadata document", () => {
  let folder: string;
  let server: Server;
  let origin: string;
  let platform: RunningPlatform;
  let cookie: string;
  const asked: string[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "appserver-client-"));
    const { certificate, privateKey } = await ensureAppKeys(join(folder, "keys"), "localhost");
    const trusted = join(folder, "ca.pem");
    await writeFile(trusted, certificate);
    server = createServer(
      { cert: certificate, key: privateKey.export({ type: "pkcs8", format: "pem" }) },
      (request, response) => {
        asked.push(request.url ?? "");
        const own = { client_id: `${origin}${request.url}`, client_name: "Described", redirect_uris: [callback] };
        if (request.url === "/moved.json") response.writeHead(302, { location: "/client.json" }).end();
        else if (request.url === "/large.json") response.end(JSON.stringify({ ...own, client_name: "x".repeat(70_000) }));
        else if (request.url === "/other.json") response.end(JSON.stringify({ ...own, client_id: `${origin}/client.json` }));
        else if (request.url === "/clear.json")
          response.end(JSON.stringify({ ...own, application_type: "web", redirect_uris: [callback, "http://evil.example/"] }));
        else response.end(JSON.stringify(own));
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `https://localhost:${(server.address() as AddressInfo).port}`;
    platform = await RunningPlatform.start({ environment: { NODE_EXTRA_CA_CERTS: trusted } });
    cookie = await platform.login("admin");
  });
  after(async () => {
    await platform?.stop();
    server?.closeAllConnections();
    server?.close();
    await rm(folder, { recursive: true });
  });

  const urlFor = (clientId: string): URL => authorizeUrl(platform, clientId);
  const begin = ({ pathname, search }: URL, headers: Readonly<Record<string, string>> = { cookie }) =>
    send(platform.httpUrl, pathname + search, { headers });
  const redeem = (code: string, clientId: string) =>
    send(platform.httpUrl, "/oauth/agents/token", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: String(redemption(code, clientId)),
    });

  test("are read when a person begins, shown with their publisher, and not read by strangers", async () => {
    const clientId = `${origin}/client.json`;
    await begin(urlFor(clientId), {});
    assert.equal((await redeem("x", clientId)).status, 400);
    assert.deepEqual(asked, [], "strangers");
    const { page } = await consentPageOf(platform, cookie, urlFor(clientId));
    assert.match(page, /Let Described act as/);
    assert.ok(page.includes(`published by <strong>${new URL(origin).host}</strong>`), page);
    const code = (await answerOf(platform, cookie, urlFor(clientId), {})).searchParams.get("code") ?? "";
    assert.equal((await redeem(code, clientId)).status, 200);
    assert.deepEqual(asked, ["/client.json"], "once, then from memory");
  });

  for (const path of ["/moved.json", "/large.json", "/other.json", "/clear.json"])
    test(`refused: ${path}`, async () => {
      const { status, text } = await begin(urlFor(origin + path));
      assert.equal(status, 400, text);
      assert.match(text, /The program was not signed in/);
    });

  test("are read only where upstreams of apps may be", async () => {
    const { status, text } = await begin(urlFor("https://169.254.169.254/client.json"));
    assert.equal(status, 400);
    assert.match(text, /metadata document fetch failed/);
  });
});
