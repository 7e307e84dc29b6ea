import assert from "node:assert/strict";
import { test } from "node:test";
import { idInUsers } from "./identity-files.ts";

const users =
  "root:x:0:0:root:/root:/bin/sh\n# comment\nnode:x:1000:1000::/home/node:/bin/sh\nodd:x:-1:0::/:\nnodes:x:7:7::/:/bin/sh\n";

test("a user's numeric id is read from the image's users by the exact name", () => {
  assert.deepEqual(
    ["root", "node", "nodes", "nod", "odd", ""].map((name) => idInUsers(users, name)),
    [0, 1000, 7, undefined, undefined, undefined],
  );
  assert.equal(idInUsers("", "root"), undefined);
});
