import { useEffect, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { follow } from "../../api/client.ts";
import { AppLogTailDocument } from "../../generated/operations.ts";
import { LogBuffer, maxKept, type Row } from "./log-buffer.ts";

/** Lines often arrive in groups. They are shown together. */
const groupMs = 100;
const againMs = 2_000;

export interface Log {
  readonly rows: readonly Row[];
  /** Lines since the page was opened. */
  readonly received: number;
  /** Whether the platform has responded. */
  readonly hasBegun: boolean;
  readonly refusal: ApiError | undefined;
}

const empty: Log = { rows: [], received: 0, hasBegun: false, refusal: undefined };

/** Follows the log of an app, or of one instance of it, over restarts, and until it has a container again if it has none. */
export function useLog(name: string, instance: string | undefined): Log {
  const [buffer] = useState(() => new LogBuffer());
  const [log, setLog] = useState<Log>(empty);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt is a new subscription
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const publish = (refusal?: ApiError): void => {
      clearTimeout(timer);
      timer = undefined;
      setLog({ rows: buffer.rows, received: buffer.received, hasBegun: true, refusal });
    };
    const stop = follow(
      AppLogTailDocument,
      { name, tail: maxKept / 2, instance: instance ?? null },
      ({ appLog }) => {
        buffer.add(appLog);
        timer ??= setTimeout(publish, groupMs);
      },
      {
        onStart: () => buffer.restart(),
        onRefusal: publish,
        // The app has no container any more.
        onEnd: () => {
          again = setTimeout(() => setAttempt((before) => before + 1), againMs);
        },
      },
    );
    return () => {
      clearTimeout(timer);
      clearTimeout(again);
      stop();
    };
  }, [name, instance, buffer, attempt]);
  return log;
}
