import { ask } from "../../client.ts";
import { type RunFragment, WaitingAppDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note } from "../../output.ts";
import { sleep } from "../../sleep.ts";

/** A run that a worker takes at once needs no explanation. */
const firstMs = 1_000;
const againMs = 5_000;

/** Prints on stderr what a run waits for, and again when that changes, until `over` aborts. Never rejects. */
export async function explainWaiting(
  options: GlobalOptions,
  latest: () => RunFragment | undefined,
  over: AbortSignal,
): Promise<void> {
  let printed: string | undefined;
  for (let pauseMs = firstMs; !over.aborted; pauseMs = againMs) {
    await sleep(pauseMs, undefined, { signal: over }).catch(() => {});
    const run = latest();
    const reason = run && !over.aborted ? await reasonOf(options, run, over) : undefined;
    if (reason === undefined || reason === printed || over.aborted) continue;
    note(`${run?.id} waits: ${reason}`);
    printed = reason;
  }
}

/** Undefined for a run that does not wait. */
async function reasonOf(options: GlobalOptions, run: RunFragment, signal: AbortSignal): Promise<string | undefined> {
  const { appName, status, scheduledFor } = run;
  if (status === "DELAYED") return `for its time, ${scheduledFor ?? "later"}`;
  if (status !== "QUEUED") return undefined;
  try {
    const { app } = await ask(options, WaitingAppDocument, { name: appName }, signal);
    if (app && app.state !== "RUNNING") {
      const error = app.lastError ? `: ${app.lastError.message}` : "";
      return `${appName} is ${app.state}${error}`;
    }
    if (app?.enabled === false) return `${appName} is disabled`;
  } catch {
    // The caller may start runs without the permission to see the app.
  }
  return `no worker of ${appName} has taken it; the app takes runs over its stream Work, as many at once as it offers`;
}
