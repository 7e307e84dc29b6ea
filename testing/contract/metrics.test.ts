import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { after, before, describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import {
  eventually,
  isOneProcess,
  type PlatformUnderTest,
  promtoolFindings,
  send,
  startPlatform,
} from "@appserver/testing/kit";
import { productionTest } from "./variants.ts";

const ofOrchestrator: readonly string[] = [
  metricCatalogue.containerStarts.name,
  metricCatalogue.containerStops.name,
  metricCatalogue.containerRestarts.name,
  metricCatalogue.containerMemory.name,
  metricCatalogue.containerMemoryLimit.name,
  metricCatalogue.containerCpu.name,
  metricCatalogue.databaseSize.name,
  metricCatalogue.databaseSizeLimit.name,
  metricCatalogue.imagePullDuration.name,
  metricCatalogue.healthChecks.name,
  metricCatalogue.deploymentSwitches.name,
  metricCatalogue.deploymentDrainDuration.name,
];
/** Where the orchestrator is a separate process, it has its own endpoint. Traces need a collector. */
const elsewhere: readonly string[] = [metricCatalogue.spansDropped.name, ...(isOneProcess ? [] : ofOrchestrator)];

describe("/metrics", () => {
  let platform: PlatformUnderTest;
  let text: string;

  before(async () => {
    platform = await startPlatform();
    await send(platform.httpUrl, "/api/apps/unknown/x?secret=canary");
    await send(platform.httpUrl, "/made-up-path");
    // A request is counted after its response.
    const answer = await eventually(
      () => send(platform.httpUrl, "/metrics"),
      (seen) => /^appserver_proxy_refusals_total\{app="none"/m.test(seen.text) && /route="\/\*"/.test(seen.text),
    );
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    text = answer.text;
  });
  after(() => platform.stop());

  productionTest("passes promtool", (t) => {
    const findings = promtoolFindings(text);
    if (typeof findings === "object") return t.skip(findings.unavailable);
    assert.equal(findings, "");
  });

  test("has exactly the documented metrics", () => {
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

  test("has the values of requests, dependencies, outbox, queues and process", () => {
    assert.match(text, /^appserver_http_requests_total\{method="GET",route="\/\*",status="4xx"\} [1-9]/m);
    assert.match(text, /^appserver_proxy_refusals_total\{app="none",reason="app_unknown"\} [1-9]/m);
    assert.match(text, /^appserver_dependency_up\{dependency="database"\} 1$/m);
    assert.match(text, /^appserver_outbox_pending_events \d/m);
    assert.match(text, /^appserver_queue_pending_events\{queue="[^"]+"\} \d/m);
    assert.match(text, /^appserver_build_info\{version="[^"]+",node="v\d[^"]*"\} 1$/m);
    assert.match(text, /^process_cpu_seconds_total \d/m);
    assert.match(text, /^nodejs_eventloop_lag_p99_seconds \d/m);
  });

  test("has no series for methods that a caller makes up", async (context) => {
    const session = connect(platform.httpUrl);
    context.after(() => session.destroy());
    for (let number = 0; number < 100; number += 1) {
      const stream = session.request({ ":method": `MADEUP${number}`, ":path": "/api/apps/unknown/x" });
      const [headers] = await once(stream.end().resume(), "response");
      assert.equal(headers[":status"], 501);
    }
    const { text: later } = await send(platform.httpUrl, "/metrics");
    assert.doesNotMatch(later, /MADEUP/);
  });

  test("has no labels from callers' input", () => {
    for (const madeUp of ["made-up-path", "unknown/x", "canary"]) assert.ok(!text.includes(madeUp), madeUp);
  });
});
