// A subscriber, which tests kill: node hooks-subscriber-process.ts <app> <file it writes to> <key> <gRPC URL of each replica
// ...>
import { createPrivateKey } from "node:crypto";
import { openSync, readFileSync, writeSync } from "node:fs";
import { createHookSubscriber } from "@appserver/sdk";
import { hookName, lineOf, poisonedApp, stuckApp } from "./hooks-apps.ts";

const [appName = "", path = "", keyPath = "", ...grpcUrls] = process.argv.slice(2);
const file = openSync(path, "a");
const privateKey = createPrivateKey(readFileSync(keyPath));

for (const grpcUrl of grpcUrls) {
  createHookSubscriber({
    grpcUrl,
    app: { name: appName, privateKey },
    // Failing subscribers must not take CPU time from the others.
    maxInFlight: appName === poisonedApp || appName === stuckApp ? 5 : 100,
    // Replicas are killed, and one of the subscribers refuses everything, on purpose.
    onDisconnect: () => {},
    onError: () => {},
  })
    .onHook(hookName, (hook) => {
      // Written to the file before the acknowledgement, so that a kill of this process cannot lose it.
      writeSync(file, `${JSON.stringify(lineOf(hook))}\n`);
      if (appName === poisonedApp) throw new Error("poison");
      if (appName === stuckApp) return new Promise<void>(() => {});
      return undefined;
    })
    .start();
}
