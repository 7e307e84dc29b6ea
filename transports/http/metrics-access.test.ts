import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isAppError, type RequestHead } from "@appserver/kernel";
import { send, started } from "../test/http-listener-fixture.ts";
import { HttpStatusError } from "./error-response.ts";
import { MetricsAccess, type MetricsAccessOptions } from "./metrics-access.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

const request = (remoteAddress: string, headers: Record<string, string> = {}): RequestHead =>
  ({ peerAddress: remoteAddress, header: (name: string) => headers[name] }) as unknown as RequestHead;

/** Returns `ok`, or the code of the error. */
function outcome(options: MetricsAccessOptions, from: RequestHead, trusted: readonly string[] = []): string {
  try {
    new MetricsAccess(options, new TrustedProxies(trusted)).require(from);
    return "ok";
  } catch (error) {
    assert.ok(error instanceof HttpStatusError && error.status === 401 && isAppError(error.error));
    assert.match(error.headers["www-authenticate"] ?? "", /^Bearer /);
    return error.error.code;
  }
}

/** Allows only this machine, without a token. */
const localMetrics: MetricsAccessOptions = { allow: ["127.0.0.0/8", "::1"] };

describe("access to /metrics", () => {
  test("this machine is allowed, other machines are refused", () => {
    for (const local of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) assert.equal(outcome(localMetrics, request(local)), "ok");
    for (const other of ["203.0.113.9", "10.0.0.1", "2001:db8::1", ""]) {
      assert.equal(outcome(localMetrics, request(other)), "AUTHENTICATION_REQUIRED", other);
    }
  });

  test("the address of a proxy on this machine is not accepted for its clients, unless the proxy is trusted", () => {
    for (const header of ["x-forwarded-for", "forwarded", "x-real-ip", "via"]) {
      assert.equal(outcome(localMetrics, request("127.0.0.1", { [header]: "x" })), "AUTHENTICATION_REQUIRED", header);
    }
    const behind = (client: string): RequestHead => request("127.0.0.1", { "x-forwarded-for": client });
    assert.equal(outcome(localMetrics, behind("203.0.113.9"), ["127.0.0.1"]), "AUTHENTICATION_REQUIRED");
    assert.equal(outcome({ allow: ["203.0.113.0/24"] }, behind("203.0.113.9"), ["127.0.0.1"]), "ok");
  });

  test("the token is accepted from every address, and a wrong one is refused", () => {
    const options = { allow: [], token: "the-token" };
    const from = (authorization: string): RequestHead => request("203.0.113.9", { authorization });
    assert.equal(outcome(options, from("Bearer the-token")), "ok");
    for (const wrong of ["Bearer the-tokem", "Bearer x"]) assert.equal(outcome(options, from(wrong)), "AUTHENTICATION_FAILED");
    for (const none of ["Basic the-token", "", "Bearer"]) assert.equal(outcome(options, from(none)), "AUTHENTICATION_REQUIRED");
    assert.equal(outcome({ allow: [] }, from("Bearer undefined")), "AUTHENTICATION_FAILED");
  });

  test("the listener checks the access first", async () => {
    let looks = 0;
    const scrape = async () => {
      looks += 1;
      return { contentType: "text/plain", body: "up 1\n" };
    };
    const listener = await started({ scrape, metricsAccess: { allow: [], token: "t" } });
    const refused = await send(listener, "/metrics");
    assert.deepEqual([refused.status, looks], [401, 0]);
    const told = await send(listener, "/metrics", { headers: { authorization: "Bearer t" } });
    assert.deepEqual([told.status, told.text], [200, "up 1\n"]);
    await listener.stop();
  });
});
