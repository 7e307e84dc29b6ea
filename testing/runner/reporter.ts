import type { TestEvent } from "node:test/reporters";
import type { CaseResult, ReportLine } from "./case-result.ts";

/**
 * A test reporter that writes one JSON line per finished test, and one per finished file, which is the outermost suite. The
 * runner reads them. Node loads its default export.
 */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const path: string[] = [];
  for await (const event of source) {
    if (event.type === "test:start") {
      path.length = event.data.nesting;
      path.push(event.data.name);
    } else if (event.type === "test:pass" || event.type === "test:fail") {
      for (const line of linesOf(event, path)) yield `${JSON.stringify(line)}\n`;
    }
  }
}

type Finished = Extract<TestEvent, { type: "test:pass" | "test:fail" }>;

function linesOf(event: Finished, path: readonly string[]): readonly ReportLine[] {
  const { nesting, name, skip, todo, details } = event.data;
  const isSuite = details.type === "suite";
  const error = event.type === "test:fail" ? errorOf(event.data.details.error) : undefined;
  const [file = name, ...suites] = path.slice(0, nesting);
  const lines: ReportLine[] = [];
  // A parent fails because of its children, which have their own reports. A suite that passed does not count as a test.
  if (!error?.isOfChildren && !(isSuite && error === undefined && skip === undefined)) {
    const result: CaseResult = {
      name: nesting === 0 ? "the file as a whole" : [...suites, name].join(" › "),
      outcome: error ? "failed" : skip === undefined && todo === undefined ? "passed" : "skipped",
      ...(error && { error: error.text }),
      ...(error?.isCancelled && { isCancelled: true }),
      ...(skip !== undefined && { reason: reasonOf(skip) }),
      ...(todo !== undefined && { reason: `to do: ${reasonOf(todo)}` }),
    };
    lines.push({ file, ...result });
  }
  if (nesting === 0) lines.push({ file, seconds: details.duration_ms / 1000 });
  return lines;
}

function reasonOf(given: string | boolean): string {
  return typeof given === "string" && given !== "" ? given : "no reason given";
}

interface ReportedError {
  readonly text: string;
  readonly isOfChildren: boolean;
  readonly isCancelled: boolean;
}

function errorOf(error: Error & { readonly failureType?: string }): ReportedError {
  const cause = error.cause instanceof Error ? error.cause : error;
  return {
    text: cause.stack ?? String(error.cause ?? error.message),
    isOfChildren: error.failureType === "subtestsFailed",
    isCancelled: error.failureType === "cancelledByParent",
  };
}
