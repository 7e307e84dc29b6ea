import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { localPaths } from "./local-paths.ts";

test("paths of the copy that runs become those of the folder", () => {
  const copy = `/srv/platform/processes/snapshots/appserver.local_com.example.notes/${"0a".repeat(32)}/app`;
  const own = resolve("notes");
  const toLocal = localPaths("notes");
  assert.equal(
    toLocal(`file://${copy}/src/server.ts:7\n    at main (${copy}/src/server.ts:7:3), from '${copy}'`),
    `file://${own}/src/server.ts:7\n    at main (${own}/src/server.ts:7:3), from '${own}'`,
  );
  assert.equal(toLocal("/srv/processes/snapshots/one/two/app"), "/srv/processes/snapshots/one/two/app");
});
