import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

test("a worker whose primary process has ended continues with its stop", async () => {
  const source = `
    import { sendToPrimary } from ${JSON.stringify(new URL("./send-to-primary.ts", import.meta.url).href)};
    process.once("disconnect", () => {
      sendToPrimary({ metrics: "wanted" });
      // Node reports the failure one turn later.
      setImmediate(() => process.exit(7));
    });
    sendToPrimary({ isReady: true });`;
  const worker = spawn(process.execPath, ["--input-type=module-typescript", "-e", source], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  assert.deepEqual((await once(worker, "message"))[0], { isReady: true });
  worker.disconnect();
  assert.deepEqual(await once(worker, "exit"), [7, null]);
});
