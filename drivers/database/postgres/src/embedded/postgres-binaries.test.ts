import assert from "node:assert/strict";
import { cp, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { embeddedFolders } from "../../test/embedded-fixture.ts";
import { findBinaries, linkLibraries } from "./postgres-binaries.ts";

describe("binaries of embedded PostgreSQL", () => {
  const folders = embeddedFolders();

  test("missing library links are created", async () => {
    const { folder } = await findBinaries();
    const copy = folders.folder("native");
    await mkdir(join(copy, "lib"), { recursive: true });
    await cp(join(folder, "pg-symlinks.json"), join(copy, "pg-symlinks.json"));
    await Promise.all([linkLibraries(copy), linkLibraries(copy)]);
    const links = await readdir(join(copy, "lib"));
    assert.ok(links.length > 0);
    for (const name of links) await stat(join(folder, "lib", name));
    assert.ok(
      links.some((name) => /^libpq\.(so\.5|5\.dylib)$/.test(name)),
      links.join(),
    );
  });
});
