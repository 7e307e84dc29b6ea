// A subscriber, made to be killed: node hooks-subscriber-process.ts <app> <file it writes to> <key> <gRPC URL of each replica ...>
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
    // Those who fail shall not cost the machine what the others need.
    maxInFlight: appName === poisonedApp || appName === stuckApp ? 5 : 100,
    // Replicas are killed, and one of the subscribers refuses everything, on purpose.
    onDisconnect: () => {},
    onError: () => {},
  })
    .onHook(hookName, (hook) => {
      // Given to the system before it is acknowledged: a kill of this process cannot take it back.
      writeSync(file, `${JSON.stringify(lineOf(hook))}\n`);
      if (appName === poisonedApp) throw new Error("poison");
      if (appName === stuckApp) return new Promise<void>(() => {});
      return undefined;
    })
    .start();
}
