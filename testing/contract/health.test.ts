import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { jsonOf, type PlatformUnderTest, send, startPlatform } from "@appserver/testing/kit";

describe("health", () => {
  let platform: PlatformUnderTest;

  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  for (const path of ["/health", "/health/live"]) {
    test(`${path} returns status and uptime in seconds, and nothing else`, async () => {
      const read = async () => {
        const answer = await send(platform.httpUrl, path);
        assert.equal(answer.status, 200);
        assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
        return jsonOf(answer) as { status: unknown; uptime: number };
      };
      const first = await read();
      assert.deepEqual(Object.keys(first), ["status", "uptime"]);
      assert.equal(first.status, "ok");
      const second = await read();
      assert.ok(first.uptime > 0 && first.uptime < 3600 && second.uptime > first.uptime, `${first.uptime}, ${second.uptime}`);
    });
  }

  for (const path of ["/ready", "/health/ready"]) {
    test(`${path} checks the platform's dependencies`, async () => {
      const answer = await send(platform.httpUrl, path);
      assert.equal(answer.status, 200);
      const body = jsonOf(answer) as { status: string; checks: Record<string, { status: string; latencyMs: number }> };
      assert.equal(body.status, "ready");
      const ofVariant = platform.variant === "embedded" ? ["app_databases"] : [];
      for (const name of ["database", "authorization", "broker", ...ofVariant]) {
        assert.equal(body.checks[name]?.status, "up", name);
        assert.equal(typeof body.checks[name]?.latencyMs, "number", name);
      }
    });
  }

  test("GraphQL health returns the same", async () => {
    const { data } = await platform.graphql("{ health { status version uptimeSeconds checks { name status latencyMs } } }");
    const { health } = data as {
      health: { status: string; version: string; uptimeSeconds: number; checks: { name: string; status: string }[] };
    };
    assert.equal(health.status, "ready");
    assert.match(health.version, /^\d+\.\d+\.\d+/);
    assert.ok(health.uptimeSeconds > 0);
    const { checks } = jsonOf(await send(platform.httpUrl, "/ready")) as { checks: Record<string, { status: string }> };
    const expected = Object.entries(checks).map(([name, { status }]) => [name, status]);
    assert.deepEqual(
      health.checks.map(({ name, status }) => [name, status]),
      expected,
    );
  });

  test("health accepts HEAD and refuses unsafe methods", async () => {
    const head = await send(platform.httpUrl, "/health", { method: "HEAD" });
    assert.deepEqual([head.status, head.bytes.length], [200, 0]);
    const post = await send(platform.httpUrl, "/health", { method: "POST" });
    assert.equal(post.status, 405);
    assert.match(post.headers.allow ?? "", /\bGET\b/);
  });
});
