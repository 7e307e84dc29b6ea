import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { WebSocket } from "ws";
import type { ProductionServer } from "./production-server.ts";

/** Environment of a server on which {@link collectGarbage} works. */
export const inspected = { NODE_OPTIONS: "--inspect=127.0.0.1:0" } as const;

/** Makes a process collect its garbage, through the inspector: otherwise its memory depends on when it did so last. */
export async function collectGarbage({ printed }: Pick<ProductionServer, "printed">): Promise<void> {
  // The launcher has one as well, before it becomes the server.
  const [, url] =
    [...printed.matchAll(/Debugger listening on (ws:\S+)/g)].at(-1) ?? assert.fail("the process has no inspector");
  const socket = new WebSocket(url ?? "");
  await once(socket, "open");
  // The second collection frees what finalizers released after the first one.
  for (const id of [1, 2]) {
    socket.send(JSON.stringify({ id, method: "HeapProfiler.collectGarbage" }));
    await once(socket, "message");
  }
  socket.close();
  await once(socket, "close");
}

/** Returns the resident memory of a process in kB. Linux only. */
export function residentKb({ pid }: Pick<ProductionServer, "pid">): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
