import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { send } from "@appserver/testing/kit";
import { freePort } from "../../tools/services/free-port.ts";
import { AppserverProcess } from "../kit/appserver-process.ts";
import { removeDataFolder } from "../kit/remove-data-folder.ts";
import { untilExamplesServed } from "../kit/until-examples-served.ts";

const folder = await mkdtemp(join(tmpdir(), "appserver-first-start-"));
// If the tests run as root, PostgreSQL runs under another account, which must reach the folder.
await chmod(folder, 0o755);
const dataDir = join(folder, "data");
after(async () => {
  await removeDataFolder(dataDir);
  await rm(folder, { recursive: true, force: true });
});

test("appserver dev comes up in an empty folder with its sample apps, prints its addresses, and ends on Ctrl-C", async () => {
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const httpUrl = `http://127.0.0.1:${httpPort}`;
  const platform = new AppserverProcess(["dev"], {
    environment: {
      PATH: process.env["PATH"] ?? "",
      APPSERVER_DATA_DIR: dataDir,
      APPSERVER_HTTP_PORT: String(httpPort),
      APPSERVER_GRPC_PORT: String(grpcPort),
    },
    group: "own",
  });
  platform.start();
  try {
    await platform.until(() => platform.printed.includes("Ctrl-C stops everything"));
    assert.ok(platform.printed.includes(httpUrl), platform.printed);
    for (const app of ["com.example.notes", "com.example.clock"]) assert.ok(platform.printed.includes(app), platform.printed);
    await untilExamplesServed(httpUrl);
    assert.equal((await send(httpUrl, "/ready")).status, 200);
    assert.equal((await send(httpUrl, "/api/apps/com.example.notes/notes")).status, 401);
  } finally {
    assert.equal(await platform.stop("SIGINT"), 0, platform.printed);
  }
  await assert.rejects(send(httpUrl, "/ready"), { code: "ECONNREFUSED" });
});
