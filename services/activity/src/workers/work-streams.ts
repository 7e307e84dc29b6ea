import type { WorkStreams } from "../ports.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** Opens streams whose reports go to the dispatcher. */
export function workStreams(dispatcher: Dispatcher): WorkStreams {
  return {
    open: (appName) => {
      const session = dispatcher.open(appName);
      return {
        get isOver() {
          return session.isOver;
        },
        messages: () => dispatcher.messages(session),
        ready: (offer) => dispatcher.ready(session, offer),
        heartbeat: (runId, attempt) => dispatcher.heartbeat(session, runId, attempt),
        progress: (runId, attempt, report) => dispatcher.progress(session, runId, attempt, report),
        result: (runId, attempt, outcome) => dispatcher.result(session, runId, attempt, outcome),
        end: (error) => session.end(error),
        close: () => dispatcher.close(session),
      };
    },
  };
}
