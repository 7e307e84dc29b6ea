import assert from "node:assert/strict";
import { test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { promtoolFindings } from "@appserver/testing/kit";
import { countOnce } from "../test/count-once.ts";
import { PrometheusMetrics } from "./prometheus-metrics.ts";

test("promtool accepts the catalogue and the process's metrics", async (t) => {
  const metrics = new PrometheusMetrics({ clock: new SystemClock(), logger: silentLogger, ofProcess: true });
  for (const definition of Object.values(metricCatalogue)) countOnce(metrics, definition);
  const findings = promtoolFindings((await metrics.expose()).body);
  if (typeof findings === "object") return t.skip(findings.unavailable);
  assert.equal(findings, "");
});
