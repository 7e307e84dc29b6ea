import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { type PlatformUnderTest, platformVariant, promtoolFindings, startPlatform } from "@appserver/testing/kit";
import { send } from "./http.ts";

const ofOrchestrator: readonly string[] = [
  metricCatalogue.containerStarts.name,
  metricCatalogue.containerStops.name,
  metricCatalogue.containerRestarts.name,
  metricCatalogue.imagePullDuration.name,
  metricCatalogue.healthChecks.name,
];
/** In production the orchestrator has a process and an endpoint of its own; traces need a collector. */
const elsewhere: readonly string[] = [
  metricCatalogue.spansDropped.name,
  ...(platformVariant === "production" ? ofOrchestrator : []),
];

describe("specification §4.1, /metrics", () => {
  let platform: PlatformUnderTest;
  let text: string;

  before(async () => {
    platform = await startPlatform({ flags: ["--no-examples"] });
    await send(platform.httpUrl, "/api/apps/unknown/x?secret=canary");
    await send(platform.httpUrl, "/made-up-path");
    const answer = await send(platform.httpUrl, "/metrics");
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    text = answer.text;
  });
  after(() => platform.stop());

  test("is clean for promtool", (t) => {
    const findings = promtoolFindings(text);
    if (typeof findings === "object") return t.skip(findings.unavailable);
    assert.equal(findings, "");
  });

  test("has every documented metric, and documents every one that it has", () => {
    const served = [...text.matchAll(/^# TYPE (appserver_\w+) (\w+)$/gm)].map(([, name, kind]) => `${name} ${kind}`);
    const documented = Object.values(metricCatalogue).map(({ name, kind }) => `${name} ${kind}`);
    assert.deepEqual(
      served.filter((one) => !documented.includes(one)),
      [],
    );
    const missing = documented.filter((one) => !served.includes(one));
    assert.deepEqual(
      missing.filter((one) => !elsewhere.includes(one.split(" ")[0] ?? "")),
      [],
    );
  });

  test("tells what happened: requests, dependencies, outbox, queues, process", () => {
    assert.match(text, /^appserver_http_requests_total\{method="GET",route="unknown",status="4xx"\} [1-9]/m);
    assert.match(text, /^appserver_proxy_refusals_total\{app="none",reason="app_unknown"\} [1-9]/m);
    assert.match(text, /^appserver_dependency_up\{dependency="database"\} 1$/m);
    assert.match(text, /^appserver_outbox_pending_events \d/m);
    assert.match(text, /^appserver_queue_pending_events\{queue="[^"]+"\} \d/m);
    assert.match(text, /^appserver_build_info\{version="[^"]+",node="v\d[^"]*"\} 1$/m);
    assert.match(text, /^process_cpu_seconds_total \d/m);
    assert.match(text, /^nodejs_eventloop_lag_p99_seconds \d/m);
  });

  test("holds nothing of what callers made up", () => {
    for (const madeUp of ["made-up-path", "unknown/x", "canary"]) assert.ok(!text.includes(madeUp), madeUp);
  });
});
