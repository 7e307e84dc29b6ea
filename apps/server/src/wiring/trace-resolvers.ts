import type { Activity, RunNode } from "@appserver/activity";
import type { Trace as GraphqlTrace, HookDelivery, TracedLogLine } from "@appserver/contracts/graphql/types";
import { type EventNode, type Hooks, presentDelivery } from "@appserver/hooks";
import type { Call } from "@appserver/kernel";
import { type FoundLine, presentLine } from "@appserver/orchestration";
import { presentEntry, presentEvent, presentRequest } from "@appserver/records";
import type { TraceReader, WholeTrace } from "./traces.ts";

/** Values that are read only if the query selects them. */
type Lazy = "hookEvents" | "runs" | "logs" | "logsIncomplete";

interface TraceNode extends Omit<GraphqlTrace, Lazy> {
  readonly hookEvents: readonly EventNode[];
  readonly deliveries: HookDelivery[];
  readonly runs: readonly RunNode[];
  readonly readLogs: WholeTrace["logs"];
}

/** What shows the parts of services. */
export interface TracePresenters {
  readonly hooks: Pick<Hooks, "presentEvents">;
  readonly activity: Pick<Activity, "present">;
}

/** Resolves the query `trace`. */
export function traceResolvers(read: TraceReader, presenters: TracePresenters) {
  return {
    Query: {
      trace: async (_: unknown, { id }: { readonly id: string }, call: Call): Promise<TraceNode | null> => {
        const trace = await read(id, call);
        return trace ? nodeOf(trace, presenters) : null;
      },
    },
    Trace: {
      logs: async ({ readLogs }: TraceNode) => (await readLogs()).lines.map(lineNode),
      logsIncomplete: async ({ readLogs }: TraceNode) => (await readLogs()).incomplete,
    },
  };
}

function nodeOf({ parts, logs, ...trace }: WholeTrace, { hooks, activity }: TracePresenters): TraceNode {
  return {
    ...trace,
    requests: trace.requests.map(presentRequest),
    hookEvents: hooks.presentEvents(parts.hookEvents),
    deliveries: parts.deliveries.map(presentDelivery),
    runs: parts.runs.map((run) => activity.present(run)),
    events: parts.events.map(presentEvent),
    audit: parts.audit.map(presentEntry),
    readLogs: logs,
  };
}

function lineNode({ appName, ...line }: FoundLine): TracedLogLine {
  const { time, stream, text, isCut, container, generation } = presentLine(line, line.source);
  return { appName, time, stream, text, isCut, container, generation };
}
