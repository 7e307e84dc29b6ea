import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { withDockerLogin } from "./docker-login.ts";

const own = mkdtempSync(join(tmpdir(), "docker-config-"));
const before = process.env["DOCKER_CONFIG"];
process.env["DOCKER_CONFIG"] = own;
after(() => {
  if (before === undefined) delete process.env["DOCKER_CONFIG"];
  else process.env["DOCKER_CONFIG"] = before;
  rmSync(own, { recursive: true });
});

test("the password is in a configuration of its own, with the engine in use, until the work ends", async () => {
  const mine = JSON.stringify({ currentContext: "remote", auths: { "other.example": { auth: "c2VjcmV0" } } });
  writeFileSync(join(own, "config.json"), mine);
  await mkdir(join(own, "contexts/meta"), { recursive: true });
  let folder = "";
  const work = async (environment: Readonly<Record<string, string>>): Promise<never> => {
    folder = environment["DOCKER_CONFIG"] ?? "";
    const file = join(folder, "config.json");
    assert.deepEqual(JSON.parse(await readFile(file, "utf8")), {
      currentContext: "remote",
      auths: { "apps.example.com": { auth: Buffer.from("appctl:a token").toString("base64") } },
    });
    assert.deepEqual([statSync(file).mode & 0o777, await readdir(join(folder, "contexts"))], [0o600, ["meta"]]);
    throw new Error("the push failed");
  };
  await assert.rejects(withDockerLogin("apps.example.com", "a token", work), /the push failed/);
  assert.deepEqual([existsSync(folder), existsSync(join(own, "contexts/meta"))], [false, true]);
  assert.equal(await readFile(join(own, "config.json"), "utf8"), mine);
});
