import { runMessage } from "@appserver/activity";
import {
  AuditEntrySchema,
  type AuditEntry as AuditMessage,
  type GetTraceRequest,
  type SystemEvent,
  SystemEventSchema,
  TracedLogLineSchema,
  type TracedRequest,
  TracedRequestSchema,
} from "@appserver/contracts/proto/appserver/v2/traces";
import { deliveryMessage, storedEventMessage } from "@appserver/hooks";
import { AppError, type Call } from "@appserver/kernel";
import type { AuditEntry, StoredRequest, SystemEventRecord } from "@appserver/kernel/ports";
import { type FoundLine, lineMessage } from "@appserver/orchestration";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { TraceReader, WholeTrace } from "./traces.ts";

/** The methods of `appserver.v2.TraceService`. They only translate. */
export function traceGrpc(read: TraceReader) {
  return {
    getTrace: async ({ id }: GetTraceRequest, call: Call) => {
      const trace = await read(id, call);
      if (trace) return { trace: await traceMessage(trace) };
      throw new AppError("NOT_FOUND", `nothing is known of ${JSON.stringify(id)}; requests are kept for an hour`);
    },
  };
}

async function traceMessage({ parts, logs, ...trace }: WholeTrace) {
  const { lines, incomplete } = await logs();
  return {
    id: trace.id,
    traceIds: [...trace.traceIds],
    requestIds: [...trace.requestIds],
    requests: trace.requests.map(requestMessage),
    hookEvents: parts.hookEvents.map((event) => storedEventMessage(event)),
    deliveries: parts.deliveries.map(deliveryMessage),
    runs: parts.runs.map((run) => runMessage(run)),
    events: parts.events.map(eventMessage),
    audit: parts.audit.map(entryMessage),
    logs: lines.map(lineOf),
    logsIncomplete: [...incomplete],
    truncated: trace.truncated,
    hidden: [...trace.hidden],
  };
}

function requestMessage(request: StoredRequest): TracedRequest {
  const {
    requestId,
    traceId,
    at,
    app = "",
    pattern = "",
    method,
    status,
    durationMs,
    upstreamMs,
    reasonId = "",
    caller,
  } = request;
  return create(TracedRequestSchema, {
    ...{ requestId, traceId, method, status, durationMs, caller },
    at: timestampFromDate(at),
    appName: app,
    route: pattern,
    reason: reasonId,
    ...(upstreamMs === undefined ? {} : { upstreamMs }),
  });
}

function eventMessage({ id, type, severity, message, at, ...event }: SystemEventRecord): SystemEvent {
  const { appName = "", actor = "", traceId = "", data } = event;
  return create(SystemEventSchema, {
    ...{ id, type, severity, message, appName, actor, traceId },
    timestamp: timestampFromDate(at),
    ...(isObject(data) ? { data } : {}),
  });
}

function entryMessage({ id, at, actor, action, target, outcome, details, traceId = "" }: AuditEntry): AuditMessage {
  return create(AuditEntrySchema, {
    ...{ id, actor, action, target, outcome, traceId },
    at: timestampFromDate(at),
    ...(isObject(details) ? { details } : {}),
  });
}

function lineOf({ appName, source, ...line }: FoundLine) {
  return create(TracedLogLineSchema, {
    appName,
    line: lineMessage(line),
    container: source?.container ?? "",
    generation: source?.generation ?? 0,
  });
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
