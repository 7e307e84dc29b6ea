// A backend that receives hooks by POST, which tests kill: node hooks-push-process.ts <app> <file it writes to> <key> <port>
// <gRPC URL>
import { createPrivateKey } from "node:crypto";
import { openSync, readFileSync, writeSync } from "node:fs";
import { createPlatformClient, pushedHooks, serveApp } from "@appserver/sdk";
import { lineOf, pushPath } from "./hooks-apps.ts";

const [name = "", path = "", keyPath = "", port = "0", grpcUrl = ""] = process.argv.slice(2);
const file = openSync(path, "a");
const client = createPlatformClient({ grpcUrl, app: { name, privateKey: createPrivateKey(readFileSync(keyPath)) } });

await serveApp({
  host: "127.0.0.1",
  port: Number(port),
  routes: {
    // Written to the file before the response, so that a kill of this process cannot lose it.
    [`POST ${pushPath}`]: pushedHooks(client, (hook) => {
      writeSync(file, `${JSON.stringify(lineOf(hook))}\n`);
    }),
  },
});
console.log("ready");
