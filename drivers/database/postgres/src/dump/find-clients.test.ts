import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findDumpClients, fittingClients } from "./find-clients.ts";

test("the oldest programs that are not older than the server are used, from the packages and from PATH", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "appserver-clients-"));
  t.after(() => rm(folder, { recursive: true }));
  const install = async (place: string, dump: number, restore: number | undefined = dump): Promise<void> => {
    await mkdir(join(folder, place), { recursive: true });
    for (const [program, major] of [
      ["pg_dump", dump],
      ["pg_restore", restore],
    ] as const) {
      const script = `#!/bin/sh\necho "${program} (PostgreSQL) ${major}.4 (Debian ${major}.4-1)"\n`;
      await writeFile(join(folder, place, program), script, { mode: 0o755 });
    }
  };
  await install("packages/15/bin", 15);
  await install("packages/19/bin", 19);
  await install("own", 18);
  await install("other", 15);
  await install("mixed", 17, 16);
  const path = ["own", "other", "mixed", "missing"].map((place) => join(folder, place)).join(":");
  const found = await findDumpClients(`${path}:relative`, join(folder, "packages"));
  assert.deepEqual(
    found.map(({ major, dump }) => [major, dump.slice(folder.length)]),
    [
      [15, "/packages/15/bin/pg_dump"],
      [18, "/own/pg_dump"],
      [19, "/packages/19/bin/pg_dump"],
    ],
  );
  assert.deepEqual(
    [14, 15, 16, 18, 19, 20].map((major) => fittingClients(found, major)?.major),
    [15, 15, 18, 18, 19, undefined],
  );
});
