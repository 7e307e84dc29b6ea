import type { TestEvent } from "node:test/reporters";
import type { CaseResult } from "./case-result.ts";

/** A test reporter that writes one JSON line per finished test, which the runner reads. Node loads its default export. */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const path: string[] = [];
  for await (const event of source) {
    if (event.type === "test:start") {
      path.length = event.data.nesting;
      path.push(event.data.name);
    } else if (event.type === "test:pass" || event.type === "test:fail") {
      const { nesting, name, skip, todo, details } = event.data;
      const isSuite = details.type === "suite";
      const error = event.type === "test:fail" ? errorOf(event.data.details.error) : undefined;
      // A parent fails because of its children, which have their own reports. A suite that passed does not count as a test.
      if (error?.isOfChildren || (isSuite && error === undefined && skip === undefined)) continue;
      const result: CaseResult = {
        name: [...path.slice(0, nesting), name].join(" › "),
        outcome: error ? "failed" : skip === undefined && todo === undefined ? "passed" : "skipped",
        ...(error && { error: error.text }),
        ...(error?.isCancelled && { isCancelled: true }),
        ...(skip !== undefined && { reason: reasonOf(skip) }),
        ...(todo !== undefined && { reason: `to do: ${reasonOf(todo)}` }),
      };
      yield `${JSON.stringify(result)}\n`;
    }
  }
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
