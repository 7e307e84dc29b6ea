// A worker of the activity app: node activity-worker-process.ts <gRPC URL> <key file> <capacity> <URL of the oracle>
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type ActivityHandler, createActivityWorker } from "@appserver/sdk";
import { activities, activityApp } from "./activity-app.ts";
import { tellOracle } from "./activity-oracle.ts";

const [grpcUrl = "", keyPath = "", capacity = "10", oracleUrl = ""] = process.argv.slice(2);
const privateKey = createPrivateKey(readFileSync(keyPath, "utf8"));

const toil: ActivityHandler = async ({ runId, input, attempt, progress, signal }) => {
  await tellOracle(oracleUrl, "executed", runId);
  progress(0.5, "halfway");
  await sleep(Math.random() * 40, undefined, { signal });
  if (attempt === 1 && Math.random() < 0.02) throw new Error("a failure of the handler");
  return { input: input ?? null, attempt };
};

const worker = createActivityWorker({
  grpcUrl,
  app: { name: activityApp, privateKey },
  capacity: Number(capacity),
  // The platform is killed on purpose.
  onDisconnect: () => {},
});
for (const name of Object.keys(activities)) worker.activity(name, toil);
worker.start();
