import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ensureAppKeys } from "@appserver/sdk";
import { lookAtFolder } from "./look-at-folder.ts";
import { lookAtPlatform } from "./look-at-platform.ts";

const options = { http: "http://127.0.0.1:9", grpc: "http://127.0.0.1:9", json: false } as const;
const manifest = `name: org.example.ill
version: 1.0.0
web_app:
  api: { base_path: /api/apps/org.example.ill, upstream_base_url: "http://app-org.example.ill:3000" }
`;

describe("doctor names the problem and the way out of", () => {
  let folder: string;
  let server: Server;
  const responses: Record<string, object> = {
    "/health": { status: "ok" },
    // What the platform sends: `readiness` of transports/http/routes.ts.
    "/ready": {
      status: "degraded",
      checks: {
        cache: { status: "up", latencyMs: 1 },
        broker: { status: "down", latencyMs: 2, message: "connect ECONNREFUSED" },
      },
    },
    // No space is free there.
    "/dev/platform": { dataFolder: "/proc", containers: "process" },
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "doctor-"));
    server = createServer((request, response) => {
      const body = responses[request.url ?? ""];
      response.writeHead(body ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(body ?? {}));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  after(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  const ofPlatform = async (http: string): Promise<readonly string[]> => shown(await lookAtPlatform({ ...options, http }));
  const ofFolder = async (): Promise<readonly string[]> => shown(await lookAtFolder(options, folder, false));
  const shown = (findings: readonly { what: string; wayOut?: string }[]) =>
    findings.filter(({ wayOut }) => wayOut !== undefined).map(({ what, wayOut }) => `${what} → ${wayOut}`);

  test("a platform that is not there", async () => {
    const [found = "", ...others] = await ofPlatform("http://127.0.0.1:9");
    assert.match(found, /^no platform responds at http:\/\/127\.0\.0\.1:9 → start it \(`npm start`/);
    assert.deepEqual(others, []);
  });

  test("a dependency that is down, a full disk, and an address without GraphQL", {
    skip: process.platform === "linux" ? false : "needs /proc",
  }, async () => {
    const [broker = "", disk = "", caller = ""] = await ofPlatform(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    assert.match(broker, /^broker is down: connect ECONNREFUSED → start or repair broker/);
    assert.match(disk, /^the disk of \/proc has 0 MiB left → delete what is not needed, or set APPSERVER_DATA_DIR/);
    assert.match(caller, /^the platform responded with 404 → --http or APPSERVER_HTTP_URL/);
  });

  test("missing keys, a lost key, a wrong manifest, a missing backend and missing libraries", async () => {
    await writeFile(join(folder, "app.yaml"), manifest);
    assert.match((await ofFolder()).join(), / has no keys → run `appctl keys generate /);
    await ensureAppKeys(folder, "org.example.ill");
    assert.deepEqual(await ofFolder(), []);

    await writeFile(join(folder, "requirements.txt"), "grpcio");
    const [python = "", packages = ""] = await ofFolder();
    assert.match(python, / has no package with a __main__\.py → write one/);
    assert.match(packages, /requirements\.txt lists is not installed → run `python3 -m venv \.venv && /);

    await writeFile(join(folder, "package.json"), JSON.stringify({ main: "src/app.js", dependencies: { none: "1.0.0" } }));
    const [backend = "", libraries = ""] = await ofFolder();
    assert.match(backend, /^the backend .*src\/app\.js is missing → write it, or name another file as `main`/);
    assert.match(libraries, / depends on is not installed → run `npm install` in /);

    await writeFile(join(folder, "app.yaml"), manifest.replace("version: 1.0.0", "version: [1]"));
    assert.match((await ofFolder())[0] ?? "", /app\.yaml:2:10: version expected string.* → correct it there/);

    await rm(join(folder, "key.pem"));
    assert.match((await ofFolder())[0] ?? "", /key\.pem is lost → restore it from a backup\. .*`appctl replace-key APP /);
  });
});
