import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { buildOnce } from "./build-once.ts";

describe("a build", () => {
  let folder: string;
  let builds = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "appserver-build-"));
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, "package.json"), "{}");
    await writeFile(join(folder, "src/main.ts"), "1");
    await writeFile(join(folder, "README.md"), "1");
  });
  after(() => rm(folder, { recursive: true }));

  const build = (): Promise<void> =>
    buildOnce({
      folder,
      sources: ["src"],
      files: [join(folder, "README.md")],
      into: async (draft) => {
        builds += 1;
        await mkdir(draft);
        await writeFile(join(draft, "result"), String(builds));
      },
    });

  test("is done again only when something that it depends on has changed", async () => {
    await build();
    await build();
    assert.equal(builds, 1);
    for (const file of ["src/main.ts", "README.md", "package.json"]) {
      await writeFile(join(folder, file), '{ "version": "2" }');
      await build();
      await build();
      assert.equal(await readFile(join(folder, "dist/result"), "utf8"), String(builds), file);
    }
    assert.equal(builds, 4);
  });

  test("that fails leaves the last result, and nothing else", async () => {
    const failing = buildOnce({ folder, sources: ["src"], into: () => Promise.reject(new Error("a mistake")) });
    await assert.rejects(failing, { message: "a mistake" });
    assert.deepEqual((await readdir(folder)).sort(), ["README.md", "dist", "package.json", "src"]);
    assert.equal(await readFile(join(folder, "dist/result"), "utf8"), "4");
  });
});
