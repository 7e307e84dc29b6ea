import assert from "node:assert/strict";
import { test } from "node:test";
import { storagePath } from "./storage-path.ts";

test("storagePath returns the path that the platform passed", () => {
  const env = { APP_STORAGE_DATA: "/data", APP_STORAGE_PAGE_CACHE: "/srv/cache" };
  assert.deepEqual([storagePath("data", env), storagePath("page-cache", env)], ["/data", "/srv/cache"]);
});

test("storagePath names the variable that is missing, and refuses what is no name", () => {
  const missing = {
    name: "RangeError",
    message: /"data": APP_STORAGE_DATA is not set\. The platform sets it .* `storage`; .* set it to a folder/,
  };
  for (const env of [{}, { APP_STORAGE_DATA: "" }]) assert.throws(() => storagePath("data", env), missing);
  for (const name of ["", "Data", "data_2", "../data"])
    assert.throws(() => storagePath(name, { APP_STORAGE_DATA_2: "/x" }), { name: "RangeError", message: /not the name/ });
});
