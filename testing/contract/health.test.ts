import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { jsonOf, type PlatformUnderTest, send, startPlatform } from "@appserver/testing/kit";

describe("health", () => {
  let platform: PlatformUnderTest;

  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  test("/health returns status and uptime in seconds, and nothing else", async () => {
    const answer = await send(platform.httpUrl, "/health");
    const body = jsonOf(answer) as { status: unknown; uptime: number };
    assert.deepEqual([answer.status, Object.keys(body), body.status], [200, ["status", "uptime"], "ok"]);
    assert.ok(body.uptime > 0 && body.uptime < 3600, String(body.uptime));
  });

  test("/ready checks the platform's dependencies", async () => {
    const answer = await send(platform.httpUrl, "/ready");
    const body = jsonOf(answer) as { status: string; checks: Record<string, { status: string }> };
    assert.deepEqual([answer.status, body.status], [200, "ready"]);
    const ofVariant = platform.variant === "embedded" ? ["app_databases"] : [];
    for (const name of ["database", "authorization", "broker", ...ofVariant])
      assert.equal(body.checks[name]?.status, "up", name);
  });

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
});
