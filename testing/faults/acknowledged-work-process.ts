// A subscriber and worker of the app in acknowledged-work.ts, which tests kill: node acknowledged-work-process.ts <app> <file it
// writes to> <key file> <gRPC URL of each server …>
import { createPrivateKey } from "node:crypto";
import { openSync, readFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createActivityWorker, createHookSubscriber } from "@appserver/sdk";

const [name = "", path = "", keyPath = "", ...grpcUrls] = process.argv.slice(2);
const file = openSync(path, "a");
const app = { name, privateKey: createPrivateKey(readFileSync(keyPath)) };

/**
 * Writes the id before it is acknowledged, so that a kill of this process cannot lose it. The first line break ends a line that
 * a killed process left incomplete.
 */
function record(id: string): void {
  writeSync(file, `\n${id}\n`);
}

for (const grpcUrl of grpcUrls) {
  // The servers are killed on purpose.
  const connection = { grpcUrl, app, onDisconnect: () => {} };
  const subscriber = createHookSubscriber(connection).onHook(`${name}.happened`, ({ id }) => record(id));
  const worker = createActivityWorker(connection).activity("toil", async ({ runId, signal }) => {
    record(runId);
    await sleep(Math.random() * 40, undefined, { signal });
  });
  subscriber.start();
  worker.start();
}
