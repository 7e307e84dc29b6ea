import { LogStream, type TailLogsRequest } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { type Call, type LogLine, logTimeOf } from "@appserver/kernel";

import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type LogsContext, tailLog } from "../use-cases/read-log.ts";

/** The methods of `appserver.v2.MarketplaceService` for logs. They only translate. */
export function logsGrpc(context: LogsContext) {
  return {
    tailLogs: async function* ({ name, tail, since, follow }: TailLogsRequest, call: Call) {
      const input = { name, tail, since: since && textOf(since), follow };
      for await (const { source, isStart, leftOut, lines } of tailLog(context, input, call)) {
        yield {
          container: source?.container ?? "",
          generation: source?.generation ?? 0,
          isStart,
          linesLeftOut: leftOut,
          lines: lines.map(lineMessage),
        };
      }
    },
  };
}

/** Returns a line as gRPC shows it. */
export function lineMessage({ time, stream, text, isCut }: LogLine) {
  const seconds = BigInt(Date.parse(`${time.slice(0, 19)}Z`) / 1_000);
  return {
    time: { seconds, nanos: Number(time.slice(20, -1)) },
    stream: stream === "stdout" ? LogStream.STDOUT : LogStream.STDERR,
    text,
    isCut,
  };
}

/** Returns the time as a text, also for a time of a form that the use case refuses. */
function textOf({ seconds, nanos }: Timestamp): string {
  const ms = Number(seconds) * 1_000;
  const isValid = Number.isFinite(new Date(ms).getTime()) && nanos >= 0 && nanos <= 999_999_999;
  if (!isValid) return "invalid";
  return logTimeOf(ms + Math.floor(nanos / 1_000_000), nanos % 1_000_000);
}
