// `node files-process.ts FILE…`: runs test files, relative to the working directory, one after another in this process, each as a suite with the path as its name.
// Hooks that a file declares outside of its suites therefore apply to this file only.
import { resolve } from "node:path";
import { suite } from "node:test";
import { pathToFileURL } from "node:url";

/** Of a file, and of each of its tests. Ends only what hangs, and names it. */
const timeout = Number(process.env["APPSERVER_TEST_FILE_TIMEOUT_MS"]) || Number.POSITIVE_INFINITY;

for (const file of process.argv.slice(2)) {
  // The next file is loaded when the tests of this one are declared.
  const declared = Promise.withResolvers<void>();
  void suite(file, { timeout }, async () => {
    try {
      await import(pathToFileURL(resolve(file)).href);
    } finally {
      declared.resolve();
    }
  });
  await declared.promise;
}
