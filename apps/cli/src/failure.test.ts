import assert from "node:assert/strict";
import { test } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { failureText } from "./failure.ts";
import { Late } from "./refusal.ts";

const options = { http: "http://127.0.0.1:8080", grpc: "http://127.0.0.1:9090", json: false } as const;

test("a platform that does not respond in time is not called unreachable", () => {
  const late = failureText(new ConnectError("the operation timed out", Code.DeadlineExceeded), options);
  assert.equal(
    late,
    "http://127.0.0.1:9090 did not respond in time. What was asked may still be done: look before you repeat it. " +
      "--grpc or APPSERVER_GRPC_URL sets another address",
  );
  assert.match(
    failureText(new Late(options.http), options),
    /^http:\/\/127\.0\.0\.1:8080 did not respond in time\..* --http or/,
  );
});
