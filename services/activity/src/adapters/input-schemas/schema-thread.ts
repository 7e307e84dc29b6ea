import { parentPort } from "node:worker_threads";
import { AjvSchemas, type InputViolation } from "./ajv-schemas.ts";

/** A job for the thread. Without an input, only the schema is checked. */
export interface SchemaJob {
  readonly schema: string;
  readonly input: string | undefined;
}

/** The result of a job. */
export interface SchemaVerdict {
  /** Why the schema cannot be used; undefined if it can. */
  readonly problem: string | undefined;
  readonly violations: readonly InputViolation[];
}

const schemas = new AjvSchemas();

async function judge({ schema, input }: SchemaJob): Promise<SchemaVerdict> {
  const problem = await schemas.problem(schema);
  const violations = problem === undefined && input !== undefined ? await schemas.violations(schema, input) : [];
  return { problem, violations };
}

// One job at a time: the sender waits for each result. An error in a job ends the thread and reaches the sender.
parentPort?.on("message", (job: SchemaJob) => {
  void judge(job).then((verdict) => parentPort?.postMessage(verdict));
});
parentPort?.postMessage("ready");
