import { RunStatus } from "@appserver/contracts/proto/appserver/v2/activity";
import { DeliveryStatus } from "@appserver/contracts/proto/appserver/v2/hooks";
import { LogStream } from "@appserver/contracts/proto/appserver/v2/marketplace";
import type { TraceService } from "@appserver/contracts/proto/appserver/v2/traces";
import { ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";

export const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
export const requestId = "0198c0de-0000-7000-8000-00000000000c";
const [notes, clock] = ["com.example.notes", "com.example.clock"];
const hookName = `${notes}.created`;
const at = (ms: number) => timestampFromDate(new Date(Date.UTC(2026, 0, 2, 3, 4, 5) + ms));

/** What the recorded platform knows of one request. */
export function recordedTraces(
  note: (context: HandlerContext, request: unknown) => void,
): Partial<ServiceImpl<typeof TraceService>> {
  return {
    getTrace(request, context) {
      note(context, request);
      if (request.id !== requestId) {
        const info = { desc: ErrorInfoSchema, value: { reason: "NOT_FOUND", domain: "appserver" } };
        throw new ConnectError(`nothing is known of "${request.id}"`, Code.NotFound, undefined, [info]);
      }
      const of = { requestId, traceId, caller: "user:alice", method: "POST" };
      const line = { time: at(6), stream: LogStream.STDOUT, text: "\u001b[2Jstored" };
      const trace = {
        ...{ id: requestId, traceIds: [traceId], requestIds: [requestId], truncated: true, hidden: ["audit"] },
        logsIncomplete: [clock],
        requests: [
          { ...of, at: at(0), appName: notes, route: "POST /notes", status: 201, durationMs: 12.34 },
          { ...of, at: at(30), route: "/graphql", status: 200, durationMs: 3, reason: "PERMISSION_DENIED" },
        ],
        hookEvents: [{ hookName, sourceApp: notes, triggeredAt: at(15) }],
        deliveries: [
          {
            ...{ hookName, appName: clock, status: DeliveryStatus.DELIVERED, updatedAt: at(40) },
            attempts: [{ number: 1, at: at(20), durationMs: 4, outcome: "SUCCESS" }],
          },
        ],
        runs: [
          {
            ...{ appName: notes, activity: "index", status: RunStatus.COMPLETED },
            ...{ queuedAt: at(21), startedAt: at(22), finishedAt: at(20_022) },
          },
        ],
        events: [{ type: "APP_INSTALLED", severity: "INFO", appName: notes, message: "it was installed", timestamp: at(50) }],
        logs: [{ appName: notes, line }],
      };
      return { trace };
    },
  };
}
