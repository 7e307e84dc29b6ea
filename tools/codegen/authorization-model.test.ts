import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { generateAuthorizationModel } from "./authorization-model.ts";

test("contracts/generated/authorization-model.ts is up to date with model.fga", async () => {
  const committed = await readFile(new URL("../../contracts/generated/authorization-model.ts", import.meta.url), "utf8");
  assert.equal(await generateAuthorizationModel(), committed, "run `npm run generate`");
});
