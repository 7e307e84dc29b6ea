import { type RootFields, refusal } from "./recorded-graphql.ts";

export const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
export const requestId = "0198c0de-0000-7000-8000-00000000000c";
const [notes, clock] = ["com.example.notes", "com.example.clock"];
const hookName = `${notes}.created`;
const at = (ms: number): string => new Date(Date.UTC(2026, 0, 2, 3, 4, 5) + ms).toISOString();

const of = { requestId, traceId, caller: "user:alice", method: "POST" };

const trace = {
  id: requestId,
  traceIds: [traceId],
  requestIds: [requestId],
  truncated: true,
  hidden: ["audit"],
  logsIncomplete: [clock],
  requests: [
    { ...of, at: at(0), appName: notes, route: "POST /notes", status: 201, durationMs: 12.34 },
    { ...of, at: at(30), route: "/graphql", status: 200, durationMs: 3, reason: "PERMISSION_DENIED" },
  ],
  hookEvents: [{ hookName, sourceApp: notes, triggeredAt: at(15) }],
  deliveries: [
    {
      hookName,
      appName: clock,
      status: "DELIVERED",
      updatedAt: at(40),
      attempts: [{ number: 1, at: at(20), durationMs: 4, outcome: "SUCCESS" }],
    },
  ],
  runs: [
    {
      appName: notes,
      activity: "index",
      status: "COMPLETED",
      queuedAt: at(21),
      startedAt: at(22),
      finishedAt: at(20_022),
    },
  ],
  events: [{ type: "APP_INSTALLED", severity: "INFO", appName: notes, message: "it was installed", timestamp: at(50) }],
  logs: [{ appName: notes, time: at(6), stream: "STDOUT", text: "\u001b[2Jstored" }],
};

/** What the recorded platform knows of one request. */
export const recordedTraces: RootFields = {
  trace({ id }: { readonly id: string }) {
    if (id === requestId) return trace;
    throw refusal(`nothing is known of "${id}"`, "NOT_FOUND");
  },
};
