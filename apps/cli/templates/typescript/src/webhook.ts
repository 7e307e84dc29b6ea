import { logLine } from "@appserver/sdk";
import type { Task } from "./task.ts";

const timeoutMs = 5_000;

/** Posts a new task to the webhook of a chat. A failure is only logged: the task is stored. */
export async function postTask(url: string | undefined, task: Task): Promise<void> {
  if (url === undefined) return;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: `New task: ${task.title}` }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) logLine("warn", "posting a task failed", { task: task.id, status: response.status });
  } catch (error) {
    // Without the address, which is a secret.
    logLine("warn", "posting a task failed", { task: task.id, reason: (error as Error).name });
  }
}
