import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { RunningPlatform } from "@appserver/testing/kit";
import { ensureSchemathesis } from "../../../tools/services/schemathesis.ts";
import { type Dictionaries, fillPlatform, startBackend } from "./fuzzed-apps.ts";
import { runSchemathesis } from "./run-schemathesis.ts";

const minRequests = 10_000;
const python = await ensureSchemathesis();

describe("the REST API and its OpenAPI document", { skip: "unavailable" in python && python.unavailable }, () => {
  let folder = "";
  let backend: Server;
  let platform: RunningPlatform;
  let dictionaries: Dictionaries;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "schemathesis-"));
    backend = await startBackend();
    // Requests uninstall and delete its apps and change what callers may do, so nothing else can use it.
    platform = await RunningPlatform.start();
    dictionaries = await fillPlatform(platform, backend);
  });
  after(async () => {
    await platform?.stop();
    backend?.closeAllConnections();
    backend?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("10,000 requests get no 5xx, and no status, header or content that the document does not describe", async () => {
    if ("unavailable" in python) return;
    const { report, output } = await runSchemathesis(python, platform, { folder, dictionaries });
    assert.deepEqual([report.failures, report.errors], [[], []], output);
    assert.equal(report.stop_reason, "completed", output);
    assert.equal(report.operations.tested, report.operations.total);
    for (const phase of ["examples", "coverage", "fuzzing", "stateful"])
      assert.equal(report.phases[phase]?.status, "success", phase);
    const { generated, without_checks, errored } = report.test_cases;
    assert.ok(generated - without_checks - errored >= minRequests, JSON.stringify(report.test_cases));
    assert.equal((await fetch(`${platform.httpUrl}/ready`)).status, 200);
    const errors = (await platform.log()).split("\n").filter((line) => line.includes('"level":"error"'));
    assert.deepEqual(errors, []);
  });
});
