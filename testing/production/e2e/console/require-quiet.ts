import assert from "node:assert/strict";
import type { ConsolePage } from "./console-page.ts";

/** The browser reports it when networks of containers appear or disappear on the machine. The console reads again by itself. */
const networkOfMachine = /net::ERR_NETWORK_CHANGED|net::ERR_NETWORK_IO_SUSPENDED/;

/** Fails if something went wrong in the page since the last call. Problems that contain one of the expected texts do not count. */
export function requireQuiet(console: ConsolePage, ...expected: readonly string[]): void {
  const problems = console.problems
    .splice(0)
    .filter((problem) => !networkOfMachine.test(problem) && !expected.some((text) => problem.includes(text)));
  assert.deepEqual(problems, []);
}
