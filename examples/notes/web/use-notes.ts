import { useCallback, useEffect, useState } from "react";
import { fetchNotes, fetchRevision, type NotePage, type Send } from "./notes-api.ts";

const firstPauseMs = 1_000;
const maxPauseMs = 15_000;

export interface LiveNotes {
  readonly page: NotePage | undefined;
  /** Why the notes are not current. */
  readonly problem: string | undefined;
  /** Reads the notes again at once. */
  refresh(): void;
}

/** The notes, read again after each change that anybody makes, also after an outage. */
export function useNotes(send: Send): LiveNotes {
  const [page, setPage] = useState<NotePage>();
  const [problem, setProblem] = useState<string>();
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt must read again.
  useEffect(() => {
    const abort = new AbortController();
    void follow(send, abort.signal, { onPage: setPage, onProblem: setProblem });
    return () => abort.abort();
  }, [send, attempt]);

  const refresh = useCallback(() => setAttempt((n) => n + 1), []);
  return { page, problem, refresh };
}

interface Listeners {
  readonly onPage: (page: NotePage) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

async function follow(send: Send, signal: AbortSignal, { onPage, onProblem }: Listeners): Promise<void> {
  let known = "";
  for (let failures = 0; !signal.aborted; ) {
    try {
      // The revision is read first: a change between both requests is found by the next one.
      const revision = await fetchRevision(send, known, signal);
      if (revision !== known) onPage(await fetchNotes(send, signal));
      known = revision;
      failures = 0;
      onProblem(undefined);
    } catch (error) {
      if (signal.aborted) return;
      onProblem(error instanceof Error ? error.message : String(error));
      await pause(Math.min(firstPauseMs * 2 ** failures, maxPauseMs), signal);
      failures += 1;
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
