// A worker of the activity app: node activity-worker-process.ts <gRPC URL> <key file> <capacity>
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createActivityWorker } from "@appserver/sdk";
import { activity, activityApp } from "./activity-app.ts";

const [grpcUrl = "", keyPath = "", capacity = "10"] = process.argv.slice(2);
const privateKey = createPrivateKey(readFileSync(keyPath, "utf8"));

createActivityWorker({
  grpcUrl,
  app: { name: activityApp, privateKey },
  capacity: Number(capacity),
  // The platform is killed on purpose.
  onDisconnect: () => {},
})
  .activity(activity, async ({ input, attempt, progress, signal }) => {
    progress(0.5, "halfway");
    await sleep(Math.random() * 40, undefined, { signal });
    if (attempt === 1 && Math.random() < 0.02) throw new Error("a failure of its own");
    return { input: input ?? null, attempt };
  })
  .start();
